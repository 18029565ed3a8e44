extension Double {
    /// The number in diagnostic notation as in Appendix A of RFC 8949: always with a decimal point. Numbers
    /// with more than 21 digits before the point, or below 1e-6, have an exponent.
    var diagnostic: String {
        if isNaN { return "NaN" }
        if isInfinite { return self < 0 ? "-Infinity" : "Infinity" }
        // Swift writes the fewest digits that identify the number, such as `1.5` or `1.5e-07`.
        let parts = magnitude.description.split(separator: "e")
        let figures = parts[0].split(separator: ".")
        let exponent = parts.count > 1 ? Int(parts[1]) ?? 0 : 0
        let fraction = figures.count > 1 && figures[1] != "0" ? figures[1] : ""
        let digits = String((figures[0] + fraction).drop { $0 == "0" })
        // The number of digits before the decimal point; negative if zeros come between the point and the
        // first digit other than zero.
        let point = figures[0].count + exponent - (figures[0] + fraction).prefix { $0 == "0" }.count
        return (sign == .minus ? "-" : "") + Self.layout(digits, point: point)
    }

    /// Returns `digits` with a decimal point after the first `point` digits.
    private static func layout(_ digits: String, point: Int) -> String {
        guard !digits.isEmpty else { return "0.0" }
        switch point {
        case 1...21:
            let zeros = String(repeating: "0", count: max(0, point - digits.count))
            let whole = (digits + zeros).prefix(point)
            let rest = digits.dropFirst(point)
            return "\(whole).\(rest.isEmpty ? "0" : rest)"
        case -5...0: return "0." + String(repeating: "0", count: -point) + digits
        default:
            let rest = digits.dropFirst()
            return "\(digits.prefix(1)).\(rest.isEmpty ? "0" : rest)e\(point > 0 ? "+" : "")\(point - 1)"
        }
    }
}
