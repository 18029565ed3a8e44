/// Describes itself by its type's name alone, so that no message byte or element value reaches a log by accident.
package protocol RedactedDescription: CustomStringConvertible, CustomDebugStringConvertible,
    CustomReflectable
{}

extension RedactedDescription {
    package var description: String { "\(Self.self)(redacted)" }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: []) }
}

extension CBORItem: RedactedDescription {}
extension EncodedCBOR: RedactedDescription {}
