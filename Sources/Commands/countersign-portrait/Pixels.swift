/// Decoded pixels, eight bits a sample, row by row.
struct Pixels {
    enum Colour: Int {
        case grey = 1
        case rgb = 3
    }

    let width: Int
    let height: Int
    let colour: Colour
    let samples: [UInt8]
}
