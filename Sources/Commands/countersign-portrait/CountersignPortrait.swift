internal import Glibc
internal import PortraitImage

/// One image on standard input, one that browsers show on standard output: JPEG and PNG as they are, JPEG 2000 as PNG.
///
/// The bytes come from a phone, and OpenJPEG is written in C: nothing is read before the process has confined itself.
@main
struct CountersignPortrait {
    static func main() {
        exit(Rendering.run(arguments: CommandLine.argc).rawValue)
    }
}
