extension Terminal {
    /// Returns the candidate that the user probably meant by `word`, for "did you mean …?".
    ///
    /// An edit is a wrong, missing, added or swapped character. This function returns the candidate with the
    /// fewest edits, if there is only one edit or if the number of edits is at most a third of the number of
    /// characters of `word`. It returns `nil` if `word` is a candidate itself, if no candidate is near
    /// enough, or if `word` has fewer than 2 or more than 64 characters.
    package static func suggestion(for word: some StringProtocol, among candidates: [String]) -> String? {
        guard (2...64).contains(word.count) else { return nil }
        let most = max(1, word.count / 3)
        // Each candidate is paired with its number of edits from `word`.
        let near = candidates.map { ($0, distance(Array(word), Array($0))) }.filter { $0.1 <= most }
        guard let nearest = near.min(by: { $0.1 < $1.1 }), nearest.1 > 0 else { return nil }
        return nearest.0
    }

    /// Returns the number of edits from one word to the other (optimal string alignment).
    private static func distance(_ one: [Character], _ other: [Character]) -> Int {
        // Row n contains the numbers of edits between the first n characters of `one` and each prefix of
        // `other`. In the loop, `before` is row i − 1, `last` is row i, and `row` is row i + 1.
        var before: [Int] = []
        var last = Array(0...other.count)
        for i in one.indices {
            var row = [i + 1]
            for j in other.indices {
                let isSame = one[i] == other[j]
                var edits = min(last[j] + (isSame ? 0 : 1), last[j + 1] + 1, row[j] + 1)
                // Two neighbours that were swapped count as one edit.
                if i > 0, j > 0, one[i] == other[j - 1], one[i - 1] == other[j] {
                    edits = min(edits, before[j - 1] + 1)
                }
                row.append(edits)
            }
            (before, last) = (last, row)
        }
        return last[other.count]
    }
}
