/// The reason for which a HID report descriptor is refused. Offsets count the descriptor's bytes from 0.
package enum HIDReportDescriptorError: Error, Equatable, Sendable {
    /// The descriptor is longer than `HIDReportDescriptor.maximumLength`.
    case tooLong
    /// The descriptor ends within the item at this offset.
    case truncated(at: Int)
    /// A report number is 0 or above 255.
    case reportNumberInvalid(at: Int)
    /// Some reports have a number and others have none.
    case reportNumberMissing
    /// Collections are nested more than `HIDReportDescriptor.maximumDepth` deep, or that many states are pushed.
    case nestingTooDeep(at: Int)
    /// A collection ends that did not begin, or a state is popped that was not pushed.
    case nestingUnbalanced(at: Int)
    /// A collection does not end.
    case collectionOpen
    /// A range of usages ends before it begins, or has only one end.
    case usageRangeInvalid(at: Int)
    /// A field is wider than 256 bits, or a report longer than `HIDReportDescriptor.maximumReportLength`.
    case reportTooLong(at: Int)
    /// The descriptor has more than `HIDReportDescriptor.maximumFields` input fields.
    case tooManyFields(at: Int)
}
