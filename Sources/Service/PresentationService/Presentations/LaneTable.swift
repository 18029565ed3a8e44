internal import ReaderService

/// The lanes of a coordinator, with the readiness that was last reported to the listeners of each lane.
package struct LaneTable: Sendable {
    /// The names of the lanes, in the order in which they were added.
    package private(set) var names: [String] = []
    private var lanes: [String: ConfiguredLane] = [:]
    /// The readiness that was last reported to the listeners of each lane. The entry stays when a lane is
    /// removed, since the lane may come back.
    private var notifiedReadiness: [String: LaneReadiness] = [:]

    init(_ lanes: [ConfiguredLane]) {
        for lane in lanes { insert(lane) }
    }

    package subscript(name: String) -> ConfiguredLane? { lanes[name] }

    /// The lanes, in the order in which they were added.
    var all: [ConfiguredLane] { names.compactMap { lanes[$0] } }

    /// Adds a lane, or replaces the lane with the same name.
    mutating func insert(_ lane: ConfiguredLane) {
        let name = lane.lane.name
        if lanes.updateValue(lane, forKey: name) == nil { names.append(name) }
    }

    /// Removes a lane and returns it. Returns `nil` if there is no lane with this name.
    mutating func remove(_ name: String) -> ConfiguredLane? {
        names.removeAll { $0 == name }
        return lanes.removeValue(forKey: name)
    }

    /// Records the readiness of a lane.
    ///
    /// - Returns: whether the readiness differs from the readiness that was recorded before; false for the
    ///   first record of a lane.
    mutating func record(_ readiness: LaneReadiness, of name: String) -> Bool {
        let before = notifiedReadiness.updateValue(readiness, forKey: name)
        return before.map { $0 != readiness } ?? false
    }

    /// Whether no phone can be read at a lane, by the readiness that was recorded last. False before the first
    /// record.
    func isUnavailable(_ name: String) -> Bool {
        if case .unavailable? = notifiedReadiness[name] { true } else { false }
    }
}
