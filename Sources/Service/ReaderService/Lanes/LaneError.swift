/// Why a lane refuses a request.
package enum LaneError: Error, Equatable, Sendable {
    /// A presentation is running: each lane has one at a time.
    case busy
    /// The presentation is over, or is another lane's.
    case notRunning
    /// A phone is engaged already, or another code was scanned before.
    case alreadyEngaged
}
