// Where collections are, for who follows a key path to one.

extension List {
  package var place: (access: RowAccess, column: Int32)? { handle.map { ($0.access, $0.column) } }
}

extension MutableSet {
  package var place: (access: RowAccess, column: Int32)? { handle.map { ($0.access, $0.column) } }
}

extension Map {
  package var place: (access: RowAccess, column: Int32)? { handle.map { ($0.access, $0.column) } }
}

extension LinkingObjects {
  package var place: (access: RowAccess, column: Int32)? { handle.map { ($0.access, $0.column) } }
}
