/// The rule by which a caller exports and deletes retained data.
///
/// With the scope `app` a caller may export and delete the data of its own orders. With the scope `desk` a
/// caller may export and delete the data that its presets retained at its lanes. If a lane was renamed or
/// removed from the configuration, every desk of the same caller may export and delete that lane's data until
/// the data's deadline.
package struct RetentionAccess: Sendable {
    private let caller: KnownCaller
    /// The names of all lanes in the configuration, and of removed lanes that are still running.
    private let lanes: Set<String>

    init(_ caller: KnownCaller, lanes: Set<String>) {
        self.caller = caller
        self.lanes = lanes
    }

    /// Whether the caller may export and delete the data of this owner.
    func covers(_ owner: RetentionOwner) -> Bool {
        guard let desk = owner.desk else {
            return owner.text == caller.name && caller.scopes.contains(.app)
        }
        return desk.caller == caller.name && caller.scopes.contains(.desk)
            && (caller.covers(lane: desk.lane) || !lanes.contains(desk.lane))
    }
}
