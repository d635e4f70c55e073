package import struct Foundation.UUID
internal import CLeyden

/// The rule by which fields of any length fit into keys of at most 511 bytes.
///
/// A field whose encoding is longer than the index's limit is cut: its first bytes, the marker
/// `00 02` and 16 bytes of SipHash-2-4-128 over the whole encoding, keyed with the store's UUID so
/// that nobody can prepare values that collide. Values that differ within the first ``prefixLength``
/// bytes are in their right order; others that share them follow each other in any order. Hence:
///
/// - every hit on a shortened field is compared with the record's full value;
/// - a bound is cut by ``KeyEncoder/shortenBound(from:by:)``, and where that returns true the rows
///   that share the cut bytes are compared with the full bound;
/// - rows that share them are sorted by their full values.
package struct LongKey: Sendable, Hashable {
  /// The longest key that LMDB takes.
  package static let maximumKeyLength = 511
  /// The most fields of one index: what leaves each of them room for a prefix and a hash.
  package static let maximumFieldCount = 16
  /// The length of the marker and the hash after it.
  package static let suffixLength = 18

  /// The longest encoding that is stored whole, the presence marker included.
  package let limit: Int

  /// The sixteen bytes of the store's UUID.
  private let key: [UInt8]

  /// The number of bytes that a shortened field keeps.
  package var prefixLength: Int { limit - Self.suffixLength }

  /// Makes the rule for the fields of one index.
  ///
  /// - Parameters:
  ///   - fieldCount: The number of fields of the index, from 1 to ``maximumFieldCount``.
  ///   - store: The store's UUID, which keys the hash.
  package init(fieldCount: Int, store: UUID) {
    precondition(
      (1...Self.maximumFieldCount).contains(fieldCount),
      "An index has from 1 to \(Self.maximumFieldCount) fields, not \(fieldCount).")
    // The row number takes eight bytes of the key. A single field could take all the rest; 255
    // keeps at least seven entries on a page of 4,096 bytes.
    limit = min(255, (Self.maximumKeyLength - 8) / fieldCount)
    key = unsafe withUnsafeBytes(of: store.uuid) { unsafe [UInt8]($0) }
  }

  /// Returns the keyed hash of `bytes`.
  package func hash(_ bytes: UnsafeRawBufferPointer) -> [UInt8] {
    unsafe [UInt8](unsafeUninitializedCapacity: 16) { output, count in
      guard let output = output.baseAddress else { return }
      unsafe leyden_siphash128(key, bytes.baseAddress, bytes.count, output)
      count = 16
    }
  }
}

extension KeyEncoder {
  /// Cuts the last field where its encoding is longer than the limit.
  ///
  /// Called after the field was appended, terminated, and before it is complemented.
  ///
  /// - Parameters:
  ///   - position: Where the field begins, its presence marker included.
  ///   - rule: The index's rule.
  /// - Returns: Whether the field was cut.
  @discardableResult
  package mutating func shorten(from position: Int, by rule: LongKey) -> Bool {
    guard bytes.count - position > rule.limit else { return false }
    let hash = unsafe bytes.withUnsafeBytes { all in
      unsafe rule.hash(UnsafeRawBufferPointer(rebasing: all[position...]))
    }
    cut(to: position + rule.prefixLength)
    bytes.append(0)
    bytes.append(Self.shortened)
    bytes.append(contentsOf: hash)
    return true
  }

  /// Cuts a field that serves as the bound of a range, so that it compares rightly with shortened
  /// ones.
  ///
  /// The field was appended unterminated. Where nothing is cut, the caller terminates the bound, or
  /// leaves it open as the prefix that it is.
  ///
  /// - Parameters:
  ///   - position: Where the field begins, its presence marker included.
  ///   - rule: The index's rule.
  /// - Returns: Whether the bound was cut: then entries that begin with it lie on either side of
  ///   the true bound, and are compared by their full values.
  package mutating func shortenBound(from position: Int, by rule: LongKey) -> Bool {
    guard bytes.count - position > rule.prefixLength else { return false }
    cut(to: position + rule.prefixLength)
    return true
  }

  /// Ends a field that was appended unterminated.
  package mutating func terminate() {
    appendTerminator()
  }

  /// Removes bytes from the end, never leaving half of an escaped zero.
  private mutating func cut(to end: Int) {
    let splitsZero = bytes[end - 1] == 0 && bytes[end] == Self.escapedZero
    truncate(to: splitsZero ? end - 1 : end)
  }
}
