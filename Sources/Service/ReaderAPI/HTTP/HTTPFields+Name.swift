internal import HTTPTypes

extension HTTPFields {
    /// The first value of a field without a predefined constant; its name is in lower case.
    func first(_ name: String) -> String? {
        first { $0.name.canonicalName == name }?.value
    }
}
