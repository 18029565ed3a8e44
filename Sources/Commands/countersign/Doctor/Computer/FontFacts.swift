internal import Doctor

/// The fonts of this computer in which the pages write Arabic and Chinese.
struct FontFacts: Sendable {
    /// Debian's packages that are absent.
    var missing: [String]

    private static let folders = ["fonts-noto-core": "truetype/noto", "fonts-noto-cjk": "opentype/noto"]

    static func current(in system: SystemFolder) -> FontFacts {
        let absent = folders.filter { system.names(in: "/usr/share/fonts/\($0.value)")?.isEmpty ?? true }
        return FontFacts(missing: absent.keys.sorted())
    }
}

extension FontFacts {
    static let checks: [DoctorCheck.ID] = [.fonts]

    /// Only a note: a screen on another computer has that computer's fonts.
    var checks: [DoctorCheck] {
        guard !missing.isEmpty else { return [.ok(.fonts, "those of all languages of the pages are here")] }
        let names = missing.joined(separator: " ")
        return [
            .note(
                .fonts, "a screen at this computer may show boxes for Arabic or Chinese: \(names) is absent",
                fix: .command("apt install \(names)"))
        ]
    }
}
