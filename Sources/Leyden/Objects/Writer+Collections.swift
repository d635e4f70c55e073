import LeydenStorage

/// A collection that a write changes.
struct WrittenCollection {
  let key: Writer.Key
  let place: Writer.Place
  let property: Catalog.StoredProperty
  /// What is changed in its place where it lies in an embedded object.
  var draft: CollectionDraft?

  var identity: CollectionKey {
    CollectionKey(type: key.type, row: key.row, property: property.id)
  }
  var coding: ElementCoding { ElementCoding(property) }
}

/// What all collections have in common: the slot in their owner's record, entries in the table, and what
/// belongs to an element.
extension Writer {
  /// A collection of a row that is there.
  ///
  /// - Throws: ``StoreError/invalidatedObject(_:)`` where it is not.
  func collection(
    _ column: Int, row: UInt64, _ binding: TypeBinding
  ) throws(StoreError) -> WrittenCollection {
    let place = try place(of: binding)
    guard let property = binding.properties[column] else {
      throw .corrupted("\(binding.name(of: column)) is not in the store's catalog")
    }
    let key = Key(type: place.type.id, row: row)
    guard try storage({ () throws(StorageError) in unsafe try bytes(of: key, place) != nil }) else {
      throw .invalidatedObject(binding.name(of: column))
    }
    return WrittenCollection(key: key, place: place, property: property)
  }

  /// Runs a change of a collection.
  func change<Result>(
    _ collection: WrittenCollection, _ body: () throws(StorageError) -> Result
  ) throws(StoreError) -> Result {
    let result = try storage {
      () throws(StorageError) in
      let result = try body()
      noteChange()
      return result
    }
    if staged.count > Self.stagingLimit { try flush() }
    return result
  }

  /// The collection as the write has it.
  func reader(of collection: WrittenCollection) throws(StorageError) -> CollectionReader {
    var form = CollectionForm.packed([])
    if let draft = collection.draft {
      form = CollectionForm(draft.bytes)
    } else if let bytes = unsafe try bytes(of: collection.key, collection.place) {
      let record = unsafe try collection.place.type.view(of: bytes)
      let slot = try collection.place.type.slot(of: collection.property.id, in: record)
      form = try record.collection(slot, in: transaction)
    }
    return CollectionReader(
      key: collection.draft == nil ? collection.identity : nil, property: collection.property,
      form: form, transaction: transaction)
  }

  /// All elements, as the write has them.
  func elements(of collection: WrittenCollection) throws(StorageError) -> [StoredValue] {
    try reader(of: collection).elements()
  }

  /// Writes what the owner's record says of a collection; the owner counts as changed.
  func put(_ form: CollectionForm, _ collection: WrittenCollection) throws(StorageError) {
    if let draft = collection.draft { return draft.bytes = form.slot ?? [] }
    try put(
      form.slot.map { .structure($0) } ?? .null, in: collection.property, of: collection.key,
      collection.place)
  }

  /// Writes what a collection of a new row holds, links included.
  ///
  /// - Returns: What the row's record says of it.
  func make(
    _ collection: WrittenCollection, _ contents: StoredContents
  ) throws(StoreError) -> CollectionForm {
    try storage { () throws(StorageError) in
      switch contents {
      case .elements(let values) where collection.property.type == .list:
        var elements = Elements(width: collection.coding.width)
        for value in values {
          elements.append(try element(value, collection))
          try addLinks(of: value, collection)
        }
        return try form(of: elements, collection)
      case .elements(let values):
        var all: [[UInt8]: SetElement] = [:]
        for value in values {
          let key = collection.coding.key(of: value, core.longKey).bytes
          guard all[key] == nil else { continue }
          all[key] = (value, try element(value, collection))
          try addLinks(of: value, collection)
        }
        return try form(
          ofSet: all.sorted { $0.key.lexicographicallyPrecedes($1.key) }.map(\.value), collection)
      case .entries(let entries):
        var all: [[UInt8]: MapEntries.Entry] = [:]
        for (key, value) in entries {
          let place = ElementCoding.key(of: key, core.longKey).bytes
          all[place] = MapEntries.Entry(
            key: Array(key.utf8), element: try element(value, collection))
          try addLinks(of: value, collection)
        }
        var map = MapEntries()
        map.entries = all.sorted { $0.key.lexicographicallyPrecedes($1.key) }.map(\.value)
        return try form(ofMap: map, collection)
      }
    }
  }

  /// Gives a collection other contents; equal ones change nothing.
  func replace(
    _ collection: WrittenCollection, by contents: StoredContents
  ) throws(StoreError) {
    let isSame = try storage { () throws(StorageError) in
      let reader = try reader(of: collection)
      switch contents {
      case .elements(let values):
        let old = try reader.elements()
        guard collection.property.type == .list else {
          return Set(old) == Set(values)
        }
        return old.count == values.count && zip(old, values).allSatisfy { $0.isIdentical(to: $1) }
      case .entries(let entries):
        var rest = Dictionary(entries.map { ($0.key, $0.value) }) { _, last in last }
        var isSame = true
        try reader.forEachEntry { (key, value) in
          isSame = rest.removeValue(forKey: key)?.isIdentical(to: value) ?? false
          return isSame
        }
        return isSame && rest.isEmpty
      }
    }
    guard !isSame else { return }
    try exchange(try elements(of: collection), by: contents.values, in: collection) {
      () throws(StoreError) in
      try removeAll(collection)
      let form = try make(collection, contents)
      try change(collection) { () throws(StorageError) in try put(form, collection) }
    }
  }

  /// The bytes of a collection within an embedded object.
  func packed(_ contents: StoredContents, _ property: Catalog.StoredProperty) -> [UInt8] {
    let coding = ElementCoding(property)
    func element(_ value: StoredValue) -> [UInt8]? {
      guard value != .null else { return nil }
      let bytes = coding.bytes(of: value)
      return coding.width > 0
        ? bytes : unsafe bytes.withUnsafeBytes { unsafe Elements.encode(bytes: $0) }
    }
    switch contents {
    case .elements(let values):
      var values = values
      if property.type == .set {
        let keyed = values.map { (coding.key(of: $0, core.longKey).bytes, $0) }
        values = Dictionary(keyed) { first, _ in first }
          .sorted { $0.key.lexicographicallyPrecedes($1.key) }.map(\.value)
      }
      guard !values.isEmpty else { return [] }
      var elements = Elements(width: coding.width)
      for value in values { elements.append(element(value)) }
      return elements.packed
    case .entries(let entries):
      guard !entries.isEmpty else { return [] }
      var map = MapEntries()
      let keyed = entries.map { (ElementCoding.key(of: $0.key, core.longKey).bytes, $0) }
      map.entries = Dictionary(keyed) { _, last in last }
        .sorted { $0.key.lexicographicallyPrecedes($1.key) }
        .map { MapEntries.Entry(key: Array($0.value.key.utf8), element: element($0.value.value)) }
      return map.packed
    }
  }

  // MARK: Elements

  /// The bytes of a new element; a long one goes to chunks.
  func element(
    _ value: StoredValue, _ collection: WrittenCollection
  ) throws(StorageError) -> [UInt8]? {
    let coding = collection.coding
    guard value != .null else { return nil }
    let bytes = coding.bytes(of: value)
    guard coding.width == 0 else { return bytes }
    return unsafe try withBytes(of: bytes) { (bytes) throws(StorageError) in
      guard bytes.count > Elements.largestInline, collection.draft == nil else {
        return unsafe Elements.encode(bytes: bytes)
      }
      let reference = unsafe try writeLarge(bytes)
      writtenElements[collection.key, default: []].insert(reference)
      return unsafe Elements.encode(reference, prefix: bytes)
    }
  }

  /// Notes the links of an element that a collection has got.
  func addLinks(
    of element: StoredValue, _ collection: WrittenCollection
  ) throws(StorageError) {
    guard collection.draft == nil,
      collection.property.mayLink || collection.property.element == .embedded
    else { return }
    try catalog.forEachLink(ofElement: element, of: collection.property, in: transaction) {
      (property, target) throws(StorageError) in
      try addLink(to: target, property, from: collection.key)
    }
  }

  /// Removes what belongs to an element that a collection has no longer: links, and chunks.
  func release(_ element: [UInt8]?, _ collection: WrittenCollection) throws(StorageError) {
    // The links of what lies in an embedded object change when that is written.
    guard collection.draft == nil else { return }
    let coding = collection.coding
    if collection.property.mayLink || coding.type == .embedded {
      let value = try coding.value(stored: element, in: transaction)
      try catalog.forEachLink(ofElement: value, of: collection.property, in: transaction) {
        (property, target) throws(StorageError) in
        try removeLink(to: target, property, from: collection.key)
      }
    }
    guard let reference = try coding.largeReference(in: element) else { return }
    if writtenElements[collection.key]?.remove(reference) != nil {
      try LargeValues.delete(reference, in: large, transaction: transaction)
    } else {
      // Until the end, in case that the collection is then as it was.
      releasedElements[collection.key, default: []].insert(reference)
    }
  }

  /// Removes what belongs to all elements, and all entries in the table.
  func releaseAll(_ collection: WrittenCollection) throws(StorageError) {
    let reader = try reader(of: collection)
    let coding = collection.coding
    if collection.property.mayLink || coding.width == 0 {
      for element in try reader.storedElements() { try release(element, collection) }
    }
    guard case .table = reader.form else { return }
    directories[collection.identity] = nil
    var keys: [[UInt8]] = []
    unsafe try collection.identity.forEach(in: transaction) { (suffix, _) in
      keys.append(unsafe Array(suffix))
      return true
    }
    for key in keys { try removeEntry(key, collection) }
  }

  // MARK: Entries in the table

  /// Puts an entry of a collection into the table.
  func putEntry(
    _ suffix: [UInt8], _ value: [UInt8], _ collection: WrittenCollection
  ) throws(StorageError) {
    let table = try lists()
    unsafe try withBytes(of: collection.identity.prefix.bytes + suffix) {
      (key) throws(StorageError) in
      unsafe try keepEntry(suffix, key, collection)
      unsafe try withBytes(of: value) { (value) throws(StorageError) in
        unsafe try transaction.put(value, for: key, in: table)
      }
    }
  }

  /// Removes an entry of a collection from the table.
  func removeEntry(_ suffix: [UInt8], _ collection: WrittenCollection) throws(StorageError) {
    let table = try lists()
    unsafe try withBytes(of: collection.identity.prefix.bytes + suffix) {
      (key) throws(StorageError) in
      unsafe try keepEntry(suffix, key, collection)
      _ = unsafe try transaction.delete(key, in: table)
    }
  }

  /// Keeps an entry as it was before the write, unless its row is new.
  private func keepEntry(
    _ suffix: [UInt8], _ key: UnsafeRawBufferPointer, _ collection: WrittenCollection
  ) throws(StorageError) {
    guard changes.types[collection.key.type]?[collection.key.row] == nil,
      originalEntries[collection.identity]?[suffix] == nil
    else { return }
    let old = unsafe try transaction.value(for: key, in: try lists())
    originalEntries[collection.identity, default: [:]].updateValue(
      unsafe old.map { unsafe Array($0) }, forKey: suffix)
  }
}

extension CollectionReader {
  /// All elements as they are stored: with their lengths, long ones as references.
  func storedElements() throws(StorageError) -> [[UInt8]?] {
    var found: [[UInt8]?] = []
    func take(_ view: ElementsView) throws(StorageError) {
      let elements = try Elements(view)
      for position in 0..<elements.count { found.append(elements[position]) }
    }
    let width = ElementCoding(property).width
    switch form {
    case .packed(let bytes):
      guard !bytes.isEmpty else { return [] }
      try unsafe withBytes(of: bytes) { (bytes) throws(StorageError) in
        if property.type == .map {
          found = unsafe try MapEntries(packed: bytes, width: width).entries.map(\.element)
        } else {
          try take(unsafe ElementsView(packed: bytes, width: width))
        }
      }
    case .table:
      unsafe try key?.forEach(in: transaction) { (_, value) throws(StorageError) in
        switch property.type {
        case .list: try take(unsafe ElementsView(part: value))
        case .map: found.append(try unsafe Self.mapEntry(value).element)
        default: unsafe found.append(value.count > 4 ? Array(value[4...]) : nil)
        }
        return true
      }
    }
    return found
  }
}
