public import Foundation
public import Leyden

/// A model with a property of every type that can be stored, and indexes of every kind.
public final class Specimen: Object {
  /// Identifies the specimen.
  @Persisted(primaryKey: true) public var identifier: Int
  /// A truth value.
  @Persisted public var flag: Bool
  /// A whole number of 8 bits.
  @Persisted public var int8: Int8
  /// A whole number of 16 bits.
  @Persisted public var int16: Int16
  /// A whole number of 32 bits.
  @Persisted public var int32: Int32
  /// A whole number of 64 bits.
  @Persisted public var int64: Int64
  /// A whole number of 8 bits that is not negative.
  @Persisted public var uint8: UInt8
  /// A whole number of 16 bits that is not negative.
  @Persisted public var uint16: UInt16
  /// A whole number of 32 bits that is not negative.
  @Persisted public var uint32: UInt32
  /// A number of single precision.
  @Persisted public var float: Float
  /// A number of double precision.
  @Persisted(indexed: true) public var double: Double
  /// A text.
  @Persisted(indexed: true, index: .caseInsensitive) public var text: String
  /// A text, or none.
  @Persisted(indexed: true) public var note: String?
  /// A text that no other specimen has, or none.
  @Persisted(unique: true) public var code: String?
  /// Bytes.
  @Persisted public var data: Data
  /// A point in time.
  @Persisted(indexed: true) public var date: Date
  /// An identifier of 16 bytes.
  @Persisted public var uuid: UUID
  /// A decimal number.
  @Persisted(indexed: true) public var decimal: Decimal
  /// An identifier of 12 bytes.
  @Persisted public var objectId: ObjectId

  override public class var indexes: [CompoundIndex] { [CompoundIndex("flag", "text")] }

  /// The values of all properties, as text.
  public var contents: String {
    let list: [Any?] = [
      identifier, flag, int8, int16, int32, int64, uint8, uint16, uint32, float, double, text, note,
      code, data.base64EncodedString(), date.timeIntervalSinceReferenceDate, uuid, decimal,
      objectId,
    ]
    return list.map { $0.map { "\($0)" } ?? "nil" }.joined(separator: "|")
  }

  /// Gives it values that follow from two numbers.
  public func fill(_ number: Int, round: Int) {
    let value = number &* 7 &+ round
    flag = value % 2 == 0
    int8 = Int8(value % 100)
    int16 = Int16(-value)
    int32 = Int32(value) * 1_000
    int64 = Int64(value) << 40
    uint8 = UInt8(value % 250)
    uint16 = UInt16(value)
    uint32 = UInt32(value) << 16
    float = Float(value) / 3
    double = Double(value) / 7
    text = value % 5 == 0 ? String(repeating: "long text \(value) ", count: 40) : "text é \(value)"
    note = value % 3 == 0 ? nil : "note \(value % 11)"
    code = value % 4 == 0 ? nil : "code \(number)"
    data = Data(repeating: UInt8(value % 251), count: value % 9 == 0 ? 9_000 : value % 40)
    date = Date(timeIntervalSinceReferenceDate: Double(value) * 1_000.5)
    let byte = UInt8(value % 256)
    uuid = UUID(uuid: (byte, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, byte))
    decimal = Decimal(value) / 100
    objectId = (try? ObjectId(string: hexadecimal(value))) ?? objectId
  }

  private func hexadecimal(_ value: Int) -> String {
    let digits = String(value, radix: 16)
    return String(repeating: "0", count: 24 - digits.count) + digits
  }

  /// Fills a store with specimens in several commits that add, change and delete.
  public static func fill(_ store: Store, count: Int = 60) throws {
    for round in 0..<6 {
      try store.write {
        for number in 0..<count where number % 6 == round {
          let specimen = Specimen()
          specimen.identifier = number
          specimen.fill(number, round: round)
          try store.add(specimen)
        }
        for specimen in store.objects(Specimen.self) where specimen.identifier % 7 == round {
          specimen.fill(specimen.identifier, round: round + 1)
        }
        let gone = store.objects(Specimen.self).filter { $0.identifier % 13 == round + 1 }
        try store.delete(gone)
      }
    }
  }
}
