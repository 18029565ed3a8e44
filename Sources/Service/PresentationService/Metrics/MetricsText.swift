/// A writer of Prometheus' text exposition format 0.0.4.
package struct MetricsText {
    package static let contentType = "text/plain; version=0.0.4; charset=utf-8"

    package private(set) var text = ""
    private var name = ""

    package init() {}

    /// Begins a metric family: writes its HELP and TYPE lines.
    package mutating func begin(_ name: String, type: String, about help: String) {
        self.name = name
        text += "# HELP \(name) \(help)\n# TYPE \(name) \(type)\n"
    }

    /// Writes one sample of the current metric family.
    package mutating func add(
        _ value: Double, _ labels: [(name: String, value: String)] = [], suffix: String = ""
    ) {
        text += name + suffix
        if !labels.isEmpty {
            text +=
                "{" + labels.map { "\($0.name)=\"\(Self.escaped($0.value))\"" }.joined(separator: ",") + "}"
        }
        text += " \(Self.number(value))\n"
    }

    /// Writes the buckets, the sum and the count of a histogram.
    mutating func add(_ histogram: Histogram, _ labels: [(name: String, value: String)]) {
        // `le` is the format's label for the upper bound of a bucket.
        for (bound, count) in zip(Histogram.bounds, histogram.counts) {
            add(Double(count), labels + [("le", Self.number(bound))], suffix: "_bucket")
        }
        add(Double(histogram.count), labels + [("le", "+Inf")], suffix: "_bucket")
        add(histogram.sum, labels, suffix: "_sum")
        add(Double(histogram.count), labels, suffix: "_count")
    }

    /// The value as text. A whole number below 10¹⁵ has no decimal point. A larger number is not converted,
    /// since a number beyond the range of `Int64` would stop the program.
    private static func number(_ value: Double) -> String {
        value == value.rounded() && abs(value) < 1e15 ? "\(Int64(value))" : "\(value)"
    }

    /// The value of a label with the three escapes of the format.
    private static func escaped(_ text: String) -> String {
        var result = ""
        for character in text {
            switch character {
            case "\\": result += "\\\\"
            case "\"": result += "\\\""
            case "\n": result += "\\n"
            default: result.append(character)
            }
        }
        return result
    }
}
