import CLeyden

/// Finds out what a class declares, by making one object of it and looking at that with `Mirror`.
@usableFromInline
final class Discovery {
  private struct Note {
    let options: ColumnOptions
    let makeDefault: () -> StoredValue
  }

  private let type: PersistedObject.Type
  /// What the property wrappers said when the object was made, by column.
  private var notes: [Int32: Note] = [:]
  /// What cannot be stored, in words.
  private var problems: [String] = []

  init(of type: PersistedObject.Type) { self.type = type }

  func note(
    _ column: Int32, _ options: ColumnOptions, makeDefault: @escaping () -> StoredValue
  ) {
    notes[column] = Note(options: options, makeDefault: makeDefault)
  }

  func model() -> ModelType {
    let access = unsafe RowAccess(current: neverCurrent)
    let probe = makeProbe(access)
    var declared: [ModelType.Column] = []
    var mirror: Mirror? = Mirror(reflecting: probe)
    while let level = mirror, level.subjectType != Object.self,
      level.subjectType != EmbeddedObject.self
    {
      declared = columns(of: level, in: probe, access) + declared
      mirror = level.superclassMirror
    }
    if Set(declared.map(\.number)) != Set(0..<Int32(declared.count)), problems.isEmpty {
      problems.append("\(type): its properties could not be told apart")
    }
    return ModelType(
      objectType: type, declared: declared,
      problems: problems + ModelType.problems(of: type, declared))
  }

  /// The properties that one class of the inheritance declares.
  private func columns(
    of level: Mirror, in probe: PersistedObject, _ access: RowAccess
  ) -> [ModelType.Column] {
    level.children.compactMap { child in
      guard let label = child.label, let wrapper = child.value as? any PersistedProperty else {
        return nil
      }
      // Swift keeps the wrapper of `title` in `_title`.
      return column(String(label.dropFirst()), wrapper, in: probe, access)
    }
  }

  private func column(
    _ name: String, _ wrapper: any PersistedProperty, in probe: PersistedObject,
    _ access: RowAccess
  ) -> ModelType.Column? {
    let wrapperType = Swift.type(of: wrapper)
    let valueType = wrapperType.valueType
    let number = wrapper.columnNumber
    guard let stored = valueType.propertyType else {
      problems.append("\(type).\(name): \(valueType) cannot be stored")
      return nil
    }
    guard let offset = offset(of: number, in: probe, access), let note = notes[number] else {
      problems.append("\(type).\(name): its place in the object was not found")
      return nil
    }
    // SAFETY: the default is evaluated by whoever adds or makes an object, as Swift itself
    // would evaluate it in `init()`, on any thread.
    nonisolated(unsafe) let makeDefault = note.makeDefault
    let options = note.options
    return ModelType.Column(
      name: name, number: number, type: stored, element: valueType.elementType?.propertyType,
      elementIsOptional: valueType.elementType?.isOptional ?? false,
      target: valueType.targetType as? PersistedObject.Type, deleteRule: options.deleteRule,
      origin: options.originProperty, isOptional: valueType.isOptional,
      isPrimaryKey: options.kind == .primaryKey,
      index: options.kind == .unique ? .unique : options.kind == .indexed ? .ordered : nil,
      textIndex: options.index, makeDefault: { unsafe makeDefault() }, offset: offset,
      wrapper: wrapperType)
  }

  private func makeProbe(_ access: RowAccess) -> PersistedObject {
    let thread = unsafe leyden_thread_state()
    let outer = unsafe thread.pointee.binding
    unsafe thread.pointee.binding = unsafe leyden_binding(
      row: access.state, making: access.state, type: typeAddress(type),
      discovery: UnsafeRawPointer(Unmanaged.passUnretained(self).toOpaque()), next: 0)
    defer { unsafe thread.pointee.binding = unsafe outer }
    return type.init()
  }

  /// Looks for the wrapper that holds this row and this column.
  private func offset(of column: Int32, in probe: PersistedObject, _ access: RowAccess) -> Int? {
    let start = unsafe Unmanaged.passUnretained(probe).toOpaque()
    let end = unsafe leyden_allocation_size(start) - MemoryLayout<Persisted<Bool>>.size
    let row = unsafe UInt(bitPattern: access.state)
    return stride(from: 0, through: end, by: MemoryLayout<UInt>.alignment).first { offset in
      unsafe start.load(fromByteOffset: offset, as: UInt.self) == row
        && start.load(fromByteOffset: offset + 8, as: Int32.self) == column
    }
  }
}

extension PersistedProperty {
  /// The number that the wrapper took.
  fileprivate var columnNumber: Int32 {
    unsafe withUnsafeBytes(of: self) { unsafe $0.load(fromByteOffset: 8, as: Int32.self) }
  }
}
