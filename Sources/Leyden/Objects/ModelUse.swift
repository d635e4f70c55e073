/// The models of a session, counted for as long as it is open.
final class ModelUse {
  private let models: [ModelType]
  private let core: StoreCore

  init(of models: [ModelType], in core: StoreCore) {
    self.models = models
    self.core = core
    core.begin(using: models)
  }

  deinit { core.end(using: models) }
}
