/// A type whose description contains only its name, so that no byte of a message and no element value reaches
/// a log by accident (Q200).
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
