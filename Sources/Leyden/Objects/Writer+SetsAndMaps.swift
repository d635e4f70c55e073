import LeydenStorage

/// Changes of sets and maps. In the table, none costs more than finding one key.
extension Writer {
  // MARK: Sets

  /// Puts a value into a set.
  ///
  /// - Returns: Whether it was not there.
  @discardableResult
  func insert(_ value: StoredValue, _ set: WrittenCollection) throws(StoreError) -> Bool {
    let rule = core.longKey
    guard
      try storage({ () throws(StorageError) in try !reader(of: set).contains(value, rule) })
    else { return false }
    try change(set) { () throws(StorageError) in
      let new = try element(value, set)
      try addLinks(of: value, set)
      switch try reader(of: set).form {
      case .packed:
        var all = try packedSet(set)
        let key = set.coding.key(of: value, rule).bytes
        let place =
          all.firstIndex { key.lexicographicallyPrecedes(set.coding.key(of: $0.value, rule).bytes) }
        all.insert((value, new), at: place ?? all.count)
        try put(set: all, set)
      case .table(let count):
        try putSetEntry(value, new, set)
        try put(.table(count: count + 1), set)
      }
    }
    return true
  }

  /// Removes a value from a set.
  ///
  /// - Returns: Whether it was there.
  @discardableResult
  func remove(_ value: StoredValue, _ set: WrittenCollection) throws(StoreError) -> Bool {
    let rule = core.longKey
    guard try storage({ () throws(StorageError) in try reader(of: set).contains(value, rule) })
    else { return false }
    try change(set) { () throws(StorageError) in
      switch try reader(of: set).form {
      case .packed:
        var all = try packedSet(set)
        guard let place = all.firstIndex(where: { $0.value.equals(value) }) else { return }
        try release(all.remove(at: place).element, set)
        try put(set: all, set)
      case .table(let count):
        let reader = try reader(of: set)
        guard let key = try reader.entry(of: value, rule) else { return }
        try release(try setElement(key), set)
        try removeEntry(Array(key.dropFirst(CollectionKey.prefixLength)), set)
        try shrink(set, to: count - 1)
      }
    }
    return true
  }

  typealias SetElement = (value: StoredValue, element: [UInt8]?)

  private func packedSet(_ set: WrittenCollection) throws(StorageError) -> [SetElement] {
    let reader = try reader(of: set)
    return Array(zip(try reader.elements(), try reader.storedElements()))
  }

  /// Writes a set that was packed before: as it is, or into the table.
  private func put(set all: [SetElement], _ set: WrittenCollection) throws(StorageError) {
    try put(try form(ofSet: all, set), set)
  }

  /// What the owner's record says of a set that holds these, in order; many go into the table.
  func form(
    ofSet all: [SetElement], _ set: WrittenCollection
  ) throws(StorageError) -> CollectionForm {
    var elements = Elements(width: set.coding.width)
    for element in all { elements.append(element.element) }
    if elements.arePacked || set.draft != nil {
      return .packed(all.isEmpty ? [] : elements.packed)
    }
    for element in all { try putSetEntry(element.value, element.element, set) }
    return .table(count: all.count)
  }

  private func putSetEntry(
    _ value: StoredValue, _ element: [UInt8]?, _ set: WrittenCollection
  ) throws(StorageError) {
    let (key, isShortened) = set.coding.key(of: value, core.longKey)
    let suffix = try freeKey(key, isShortened, set)
    try putEntry(suffix, set.identity.withSum(element ?? [], suffix), set)
  }

  private func setElement(_ key: [UInt8]) throws(StorageError) -> [UInt8]? {
    let value = try storedEntry(key)
    return value.count > 4 ? Array(value[4...]) : nil
  }

  private func storedEntry(_ key: [UInt8]) throws(StorageError) -> [UInt8] {
    let found = unsafe try withBytes(of: key) { (key) throws(StorageError) in
      unsafe try transaction.value(for: key, in: try lists()).map { unsafe Array($0) }
    }
    guard let found else { throw .corrupted("an entry of a collection is gone") }
    return found
  }

  /// A key that no entry has: shortened keys of different values have a number behind them.
  private func freeKey(
    _ key: [UInt8], _ isShortened: Bool, _ collection: WrittenCollection
  ) throws(StorageError) -> [UInt8] {
    guard isShortened else { return key }
    for twin in UInt8.min...UInt8.max {
      let full = key + [twin]
      let isFree = unsafe try withBytes(of: collection.identity.prefix.bytes + full) {
        (key) throws(StorageError) in
        unsafe try transaction.value(for: key, in: try lists()) == nil
      }
      if isFree { return full }
    }
    throw .corrupted("more than 256 long keys of one collection have the same hash")
  }

  /// Writes the count of a set or a map in the table, or takes it out of there where it is short enough.
  private func shrink(_ collection: WrittenCollection, to count: Int) throws(StorageError) {
    try put(.table(count: count), collection)
    guard count <= Elements.packedCount else { return }
    let reader = try reader(of: collection)
    let packed: [UInt8]
    if collection.property.type == .map {
      packed = try mapEntries(reader).packed
    } else {
      var elements = Elements(width: collection.coding.width)
      for element in try reader.storedElements() { elements.append(element) }
      packed = elements.packed
    }
    guard packed.count <= Elements.packedLimit else { return }
    var keys: [[UInt8]] = []
    unsafe try collection.identity.forEach(in: transaction) { (suffix, _) in
      keys.append(unsafe Array(suffix))
      return true
    }
    for key in keys { try removeEntry(key, collection) }
    try put(.packed(count == 0 ? [] : packed), collection)
  }

  // MARK: Maps

  /// Gives a key of a map a value, which may be null; an equal one changes nothing.
  func set(
    _ value: StoredValue, forKey text: String, _ map: WrittenCollection
  ) throws(StoreError) {
    let rule = core.longKey
    let old = try storage { () throws(StorageError) in
      try reader(of: map).value(forKey: text, rule)
    }
    if let old, old.isIdentical(to: value) { return }
    try exchange([old ?? .null], by: [value], in: map) { () throws(StoreError) in
      try put(value, forKey: text, map)
    }
  }

  private func put(
    _ value: StoredValue, forKey text: String, _ map: WrittenCollection
  ) throws(StoreError) {
    let rule = core.longKey
    try change(map) { () throws(StorageError) in
      let new = MapEntries.Entry(key: Array(text.utf8), element: try element(value, map))
      try addLinks(of: value, map)
      let reader = try reader(of: map)
      switch reader.form {
      case .packed:
        var all = try mapEntries(reader)
        let key = ElementCoding.key(of: text, rule).bytes
        let keys = all.entries.map {
          ElementCoding.key(of: String(decoding: $0.key, as: UTF8.self), rule).bytes
        }
        if let place = keys.firstIndex(of: key) {
          try release(all.entries[place].element, map)
          // The key stays as it was given first.
          all.entries[place] = MapEntries.Entry(
            key: all.entries[place].key, element: new.element)
        } else {
          let place = keys.firstIndex { key.lexicographicallyPrecedes($0) } ?? keys.count
          all.entries.insert(new, at: place)
        }
        try put(map: all, map)
      case .table(let count):
        if let key = try reader.entry(forKey: text, rule) {
          let entry = try storedMapEntry(key)
          try release(entry.element, map)
          try putMapEntry(
            MapEntries.Entry(key: entry.key, element: new.element),
            Array(key.dropFirst(CollectionKey.prefixLength)), map)
          // A shorter value may let all of them be packed.
          try shrink(map, to: count)
        } else {
          let (key, isShortened) = ElementCoding.key(of: text, rule)
          try putMapEntry(new, try freeKey(key, isShortened, map), map)
          try put(.table(count: count + 1), map)
        }
      }
    }
  }

  /// Removes a key of a map.
  ///
  /// - Returns: Whether it was there.
  @discardableResult
  func removeValue(forKey text: String, _ map: WrittenCollection) throws(StoreError) -> Bool {
    let rule = core.longKey
    let old = try storage { () throws(StorageError) in
      try reader(of: map).value(forKey: text, rule)
    }
    guard let old else { return false }
    try exchange([old], in: map) { () throws(StoreError) in try dropValue(forKey: text, map) }
    return true
  }

  private func dropValue(forKey text: String, _ map: WrittenCollection) throws(StoreError) {
    let rule = core.longKey
    try change(map) { () throws(StorageError) in
      let reader = try reader(of: map)
      switch reader.form {
      case .packed:
        var all = try mapEntries(reader)
        let place = all.entries.firstIndex { String(decoding: $0.key, as: UTF8.self) == text }
        guard let place else { return }
        try release(all.entries.remove(at: place).element, map)
        try put(map: all, map)
      case .table(let count):
        guard let key = try reader.entry(forKey: text, rule) else { return }
        try release(try storedMapEntry(key).element, map)
        try removeEntry(Array(key.dropFirst(CollectionKey.prefixLength)), map)
        try shrink(map, to: count - 1)
      }
    }
  }

  private func mapEntries(_ reader: CollectionReader) throws(StorageError) -> MapEntries {
    var all = MapEntries()
    switch reader.form {
    case .packed(let bytes):
      guard !bytes.isEmpty else { return all }
      let width = ElementCoding(reader.property).width
      all = unsafe try withBytes(of: bytes) { (bytes) throws(StorageError) in
        unsafe try MapEntries(packed: bytes, width: width)
      }
    case .table:
      unsafe try reader.key?.forEach(in: transaction) { (_, value) throws(StorageError) in
        all.entries.append(try unsafe CollectionReader.mapEntry(value))
        return true
      }
    }
    return all
  }

  private func storedMapEntry(_ key: [UInt8]) throws(StorageError) -> MapEntries.Entry {
    unsafe try withBytes(of: try storedEntry(key), CollectionReader.mapEntry)
  }

  private func put(map all: MapEntries, _ map: WrittenCollection) throws(StorageError) {
    try put(try form(ofMap: all, map), map)
  }

  /// What the owner's record says of a map that has these entries, in order; many go into the table.
  func form(
    ofMap all: MapEntries, _ map: WrittenCollection
  ) throws(StorageError) -> CollectionForm {
    let packed = all.packed
    let isShort =
      all.entries.count <= Elements.packedCount && packed.count <= Elements.packedLimit
    if isShort || map.draft != nil {
      return .packed(all.entries.isEmpty ? [] : packed)
    }
    for entry in all.entries {
      let text = String(decoding: entry.key, as: UTF8.self)
      let (key, isShortened) = ElementCoding.key(of: text, core.longKey)
      try putMapEntry(entry, try freeKey(key, isShortened, map), map)
    }
    return .table(count: all.entries.count)
  }

  private func putMapEntry(
    _ entry: MapEntries.Entry, _ suffix: [UInt8], _ map: WrittenCollection
  ) throws(StorageError) {
    try putEntry(suffix, map.identity.withSum(MapEntries.encode(entry), suffix), map)
  }
}
