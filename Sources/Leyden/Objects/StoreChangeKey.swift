/// The keys of the user info of `Notification.Name.leydenStoreDidChange`.
///
///     let types = notification.userInfo?[StoreChangeKey.changedTypes] as? Set<String>
public enum StoreChangeKey {
  /// The store's own identifier, a `UUID`: the same in every process.
  public static let store = "store"
  /// The store's directory, a `URL`.
  public static let fileURL = "fileURL"
  /// The versions that the commits made, a `ClosedRange<StoreVersion>`.
  public static let versions = "versions"
  /// The stored names of the types whose objects changed, a `Set<String>`.
  public static let changedTypes = "changedTypes"
}
