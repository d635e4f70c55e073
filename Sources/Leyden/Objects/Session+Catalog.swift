package import LeydenStorage

/// What the file knows of types, and how it is brought up to the models.
extension Session {
  /// Adds what the file does not have yet of the models.
  func bringCatalogUp(_ schemaVersion: UInt64?) throws(StoreError) {
    try checkCatalog(schemaVersion)
    let version = schemaVersion ?? catalog.schemaVersion
    if isReadOnly { return }
    if CatalogWriter.covers(models, catalog), version == catalog.schemaVersion { return }
    try beginWrite()
    do {
      // Another process may have been faster.
      try checkCatalog(schemaVersion)
      try writer?.bringCatalogUp(to: models, schemaVersion: version)
    } catch {
      cancelWrite()
      throw error
    }
    _ = try commitWrite()
    try readCatalog()
  }

  private func checkCatalog(_ schemaVersion: UInt64?) throws(StoreError) {
    if let schemaVersion, schemaVersion < catalog.schemaVersion {
      throw .schemaVersionTooOld(stored: catalog.schemaVersion, asked: schemaVersion)
    }
    let differences = CatalogWriter.differences(between: models, and: catalog)
    guard differences.isEmpty else { throw .schemaMismatch(differences) }
  }

  /// Reads the newest catalog.
  func readCatalog() throws(StoreError) {
    try storage { () throws(StorageError) in
      let transaction = try openEnvironment.beginRead()
      defer { transaction.end() }
      try refreshCatalog(in: transaction)
    }
  }

  /// Reads the catalog again where a transaction sees a newer one.
  package func refreshCatalog(in transaction: Transaction) throws(StorageError) {
    let newer = try core.catalog(in: transaction)
    if newer.generation != catalog.generation { adopt(newer) }
  }

  /// Takes another catalog, with which located records and bindings are stale.
  func adopt(_ newer: Catalog) {
    catalog = newer
    if writer == nil { core.remember(newer) }
    bindings = [:]
    dynamicBindings = [:]
    latestBinding = nil
    generation.advance()
  }
}
