internal import JSON
internal import PresentationService
internal import ReaderAPI

extension LanePage {
    init(_ text: JSONText) throws(JSONFault) {
        self.init()
        let members = try text.members()
        language = try members["language"]?.string(upTo: 16)
        resultSeconds = try members["resultSeconds"].map { value throws(JSONFault) in
            Int(try value.integer(in: 2...600))
        }
        reader = try members["reader"]?.word() ?? reader
        accepts = try members["accepts"]?.texts(12, upTo: 60) ?? []
        asks = try members["asks"]?.texts(8, upTo: 64) ?? []
        speaks = try members["speaks"]?.boolean() ?? false
        texts = try members["texts"].map(PageTexts.init) ?? texts
        antenna = try members["antenna"].map { value throws(JSONFault) in
            let antenna = try value.members()
            return Antenna(
                x: Int(try antenna.required("x").integer(in: 0...100)),
                y: Int(try antenna.required("y").integer(in: 0...100)),
                place: try antenna.required("place").word())
        }
        notice = try members["notice"].map { value throws(JSONFault) in
            let notice = try value.members()
            return Notice(
                controller: try notice.required("controller").string(upTo: 300),
                purpose: try notice.required("purpose").string(upTo: 600),
                kept: try notice.required("kept").string(upTo: 600),
                contact: try notice.required("contact").string(upTo: 300))
        }
    }
}

extension JSONText {
    fileprivate func texts(_ count: Int, upTo limit: Int) throws(JSONFault) -> [String] {
        var texts: [String] = []
        for entry in try array(upTo: count) { texts.append(try entry.string(upTo: limit)) }
        return texts
    }
}

extension PageTexts {
    fileprivate init(_ text: JSONText) throws(JSONFault) {
        self.init()
        for (name, words) in try text.entries(upTo: Language.allCases.count) {
            guard let language = Language(rawValue: name) else { continue }
            for (key, value) in try words.entries(upTo: Self.keys.count) {
                replace(key, in: language, by: try value.string(upTo: 300))
            }
        }
    }
}
