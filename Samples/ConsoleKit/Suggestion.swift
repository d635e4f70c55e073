/// Asks whether the name was meant that is closest to a misspelled one.
///
/// That is one that begins with it, else one within two slips of the pen and a third of its length;
/// `nil` where there is none.
package func suggestion(for word: String, among names: [String]) -> String? {
  let candidates = names.map { (name: $0, distance: editDistance(word.lowercased(), $0)) }
  let beginning = names.first { !word.isEmpty && $0.hasPrefix(word) }
  let similar = candidates.min { $0.distance < $1.distance }.flatMap { best in
    best.distance <= max(1, min(2, best.name.count / 3)) ? best.name : nil
  }
  return (beginning ?? similar).map { "Did you mean “\($0)”?" }
}

/// Counts the insertions, deletions, replacements and swaps of neighbours between two words.
private func editDistance(_ first: String, _ second: String) -> Int {
  let a = Array(first)
  let b = Array(second)
  var beforePrevious: [Int] = []
  var previous = Array(0...b.count)
  for i in a.indices {
    var current = [i + 1]
    for j in b.indices {
      var distance = min(
        previous[j] + (a[i] == b[j] ? 0 : 1), previous[j + 1] + 1, current[j] + 1)
      if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] {
        distance = min(distance, beforePrevious[j - 1] + 1)
      }
      current.append(distance)
    }
    beforePrevious = previous
    previous = current
  }
  return previous[b.count]
}
