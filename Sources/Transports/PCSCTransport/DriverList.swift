package import Transport

/// The USB devices that one of pcscd's drivers supports, from the `Info.plist` of the driver's bundle.
package struct DriverList {
    /// The folder in which pcscd searches for the bundles of its USB drivers.
    package static let folder = "/usr/lib/pcsc/drivers"

    package let devices: Set<USBIdentity>

    /// Reads the arrays of vendor and product numbers. If their lengths differ or one is missing, the list
    /// has no devices.
    package init(_ propertyList: String) {
        let vendors = Self.numbers(of: "ifdVendorID", in: propertyList)
        let products = Self.numbers(of: "ifdProductID", in: propertyList)
        let pairs = vendors.count == products.count ? Array(zip(vendors, products)) : []
        devices = Set(pairs.compactMap { USBIdentity("\($0):\($1)") })
    }

    /// Returns the hexadecimal digits of each number in the array of a key. A number is written as
    /// `<string>0x072F</string>`.
    private static func numbers(of key: String, in text: String) -> [Substring] {
        guard let array = text.part(after: "<key>\(key)</key>", before: "</array>") else { return [] }
        return array.split(separator: "<string>").compactMap { $0.part(after: "0x", before: "</string>") }
    }
}

extension StringProtocol where SubSequence == Substring {
    /// Returns the text between the first `start` and the next `end`; `nil` if one of them is missing.
    fileprivate func part(after start: String, before end: String) -> Substring? {
        guard let from = self[...].firstRange(of: start)?.upperBound,
            let to = self[from...].firstRange(of: end)?.lowerBound
        else { return nil }
        return self[from..<to]
    }
}
