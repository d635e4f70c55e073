#if canImport(Darwin)
  import CLeyden
  import Foundation

  extension SignalPage {
    /// Blocks while the word is `ticket`, at most for `duration`; may return early.
    ///
    /// Sleeps on the file's events, because sleeping on shared memory needs a later system.
    func sleep(while ticket: UInt32, atMost duration: Duration) {
      let queue = kqueue()
      guard queue >= 0 else { return }
      defer { close(queue) }
      var change = kevent(
        ident: UInt(descriptor), filter: Int16(EVFILT_VNODE), flags: UInt16(EV_ADD | EV_CLEAR),
        fflags: UInt32(NOTE_WRITE | NOTE_ATTRIB), data: 0, udata: nil)
      guard unsafe kevent(queue, &change, 1, nil, 0, nil) == 0 else { return }
      unsafe asSleeper { word in
        // Looked at after registering: a ring from now on leaves an event.
        guard unsafe leyden_load32(word) == ticket else { return }
        let nanoseconds = duration.nanoseconds
        var span = timespec(
          tv_sec: Int(nanoseconds / 1_000_000_000), tv_nsec: Int(nanoseconds % 1_000_000_000))
        var event = kevent()
        _ = unsafe kevent(queue, nil, 0, &event, 1, &span)
      }
    }

    /// Counts a ring and wakes the sleepers of all processes.
    func ring() {
      advanceWord()
      if hasSleepers { touch() }
    }
  }
#endif
