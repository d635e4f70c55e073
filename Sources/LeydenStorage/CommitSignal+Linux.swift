#if os(Linux)
  import CLeyden

  extension SignalPage {
    /// Blocks while the word is `ticket`, at most for `duration`; may return early.
    func sleep(while ticket: UInt32, atMost duration: Duration) {
      unsafe asSleeper { word in
        unsafe leyden_word_wait(word, ticket, duration.nanoseconds)
      }
    }

    /// Counts a ring and wakes the sleepers of all processes.
    func ring() {
      advanceWord()
      // Read after the word has changed: who counts itself later finds the new word.
      guard hasSleepers else { return }
      unsafe withWord { word in unsafe leyden_word_wake(word) }
    }
  }
#endif
