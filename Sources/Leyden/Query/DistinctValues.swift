import LeydenStorage

/// Values that were seen so far, told from others as queries tell them.
struct DistinctValues {
  /// Whether they are of any type: then numbers of several types are one where they are equal.
  private let areOfAnyType: Bool
  private var values: Set<StoredValue> = []
  private var keys: Set<[UInt8]> = []

  init(areOfAnyType: Bool) { self.areOfAnyType = areOfAnyType }

  /// Whether a value was not seen before.
  mutating func insert(_ value: StoredValue) -> Bool {
    guard areOfAnyType else { return values.insert(value).inserted }
    var key = KeyEncoder()
    key.append(anyValue: value)
    return keys.insert(key.bytes).inserted
  }
}
