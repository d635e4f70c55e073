/// Returns the UTF-8 that stands for all texts that differ in case only.
///
/// It is the normalization form C of the full case folding of the text's normalization form D, so
/// that texts which `==` finds equal have the same bytes, and folding those again changes nothing.
/// "ß" and "SS" are one, and the three sigmas; the dotless "ı" stays apart from "i".
///
/// - Complexity: O(*n*); several bytes per nanosecond for ASCII, tens of nanoseconds for each scalar
///   of other scripts.
package func foldedUTF8(of text: UnsafeRawBufferPointer) -> [UInt8] {
  // The bits of all bytes together tell whether one is not ASCII.
  var bits: UInt8 = 0
  for index in 0..<text.count { bits |= unsafe text[index] }
  if bits < 0x80 { return unsafe foldedASCII(text) }
  var normalizer = Normalizer(capacity: text.count, foldsCase: true)
  for scalar in unsafe String(decoding: text, as: UTF8.self).unicodeScalars {
    normalizer.append(scalar)
  }
  return normalizer.finish()
}

private func foldedASCII(_ text: UnsafeRawBufferPointer) -> [UInt8] {
  unsafe [UInt8](unsafeUninitializedCapacity: text.count) { output, count in
    for index in 0..<text.count {
      let byte = unsafe text[index]
      unsafe output[index] = byte &- 0x41 < 26 ? byte | 0x20 : byte
    }
    count = text.count
  }
}

/// Returns the UTF-8 that stands for all texts that differ in case only.
package func foldedUTF8(of text: String) -> [UInt8] {
  var text = text
  return text.withUTF8 { utf8 in unsafe foldedUTF8(of: UnsafeRawBufferPointer(utf8)) }
}

/// Returns what the folded form of every text begins with whose normal form begins with that of
/// the given one.
///
/// That is less than the given text's folded form: "H" is the beginning of "H\u{331}", but "h" is
/// not that of "\u{1E96}", to which it is folded. So the last scalar that can join with what
/// follows is left out.
package func foldedBeginning(ofTextsFrom text: String) -> [UInt8] {
  let normalized = String(decoding: normalizedUTF8(of: text), as: UTF8.self).unicodeScalars
  guard let last = normalized.lastIndex(where: Normalizer.isInert) else { return [] }
  return foldedUTF8(of: String(normalized[..<last]))
}
