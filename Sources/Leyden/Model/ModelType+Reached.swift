extension ModelType {
  /// The models of classes, and of all that they lead to, each once.
  package static func reached(from types: [PersistedObject.Type]) -> [ModelType] {
    var models: [ModelType] = []
    var waiting = Array(types.reversed())
    while let type = waiting.popLast() {
      let model = ModelType.of(type)
      if models.contains(where: { $0 === model }) {
        // Named twice by the program: that is told where the models are checked.
        continue
      }
      models.append(model)
      waiting += model.declared.compactMap(\.target).reversed()
    }
    return models
  }

  /// What is wrong with a link's other side, in words; `nil` where all of them can be.
  package var originProblem: String? {
    for column in columns {
      guard column.type == .linkingObjects, let target = column.target, let origin = column.origin
      else { continue }
      let other = ModelType.of(target)
      guard let property = other.column(named: origin),
        property.type == .anyValue || property.element == .anyValue
          || property.target == objectType
      else {
        return
          "\(objectType).\(column.name): \(other.name) has no property \(origin) that leads here"
      }
    }
    return nil
  }
}
