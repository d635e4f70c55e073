extension ModelType {
  /// What is wrong with the properties of a class, in words.
  static func problems(of type: PersistedObject.Type, _ columns: [Column]) -> [String] {
    var problems: [String] = []
    let names = Dictionary(grouping: columns, by: \.name)
    for name in names.keys.sorted() where names[name, default: []].count > 1 {
      problems.append("\(type).\(name): a superclass has a property of the same name")
    }
    for column in columns {
      problems += column.problems(isInEmbedded: type is EmbeddedObject.Type)
        .map { "\(type).\(column.name): \($0)" }
    }
    let keys = columns.filter(\.isPrimaryKey)
    if keys.count > 1 { problems.append("\(type): more than one primary key") }
    if let key = keys.first, !key.type.canIdentify || key.isOptional {
      problems.append(
        "\(type).\(key.name): a primary key is a text, a whole number, a UUID or an ObjectId, not optional"
      )
    }
    return problems
  }
}

extension ModelType.Column {
  /// Why a property cannot be as it is declared, in words.
  fileprivate func problems(isInEmbedded: Bool) -> [String] {
    [problem, textIndexProblem, isInEmbedded ? embeddedProblem : nil].compactMap { $0 }
  }

  private var problem: String? {
    if index != nil || isPrimaryKey, !type.canBeIndexed { return "a \(type) has no index" }
    if deleteRule != .nullify, type != .link, element != .link {
      return "a delete rule is for links and collections of links"
    }
    switch type {
    case .link where !isOptional, .embedded where !isOptional:
      return "objects are held as optionals"
    case .linkingObjects:
      return origin == nil ? "linking objects need the name of their origin property" : nil
    case .list, .set, .map: return isOptional ? "collections are never nil" : elementProblem
    default: return nil
    }
  }

  private var textIndexProblem: String? {
    guard let textIndex else { return nil }
    if type != .string { return "only what is stored as a text has an index \(textIndex)" }
    return textIndex == .fullText ? "full-text indexes" : nil
  }

  private var embeddedProblem: String? {
    if isPrimaryKey || index != nil || textIndex != nil {
      return "embedded objects have no primary key and no index"
    }
    return type == .linkingObjects ? "nothing links to embedded objects" : nil
  }

  private var elementProblem: String? {
    guard let element else { return "its elements cannot be stored" }
    switch element {
    case .list, .set, .map, .linkingObjects: return "collections do not hold collections"
    case .link, .embedded:
      if type == .map, !elementIsOptional {
        return "a map holds objects as optionals, as they may be deleted"
      }
      if type != .map, elementIsOptional {
        return "lists and sets hold objects that are not optional"
      }
      return type == .set && element == .embedded ? "sets do not hold embedded objects" : nil
    default: return nil
    }
  }
}
