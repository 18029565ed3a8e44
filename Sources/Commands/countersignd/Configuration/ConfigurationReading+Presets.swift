internal import ConfigurationForms
internal import PresentationService

extension ConfigurationReading {
    /// The presets of the file, which lanes refer to by name.
    var presets: [Preset] {
        get { earlier["presets"] as? [Preset] ?? [] }
        set { earlier["presets"] = newValue }
    }
}
