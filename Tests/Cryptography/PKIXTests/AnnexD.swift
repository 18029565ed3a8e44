import PKIX
import VectorFiles

/// The certificates of ISO/IEC 18013-5 Annex D.
enum AnnexD {
    static func certificate(_ name: String) throws -> Certificate {
        try Certificate(der: VectorFiles.annexD(name)[...])
    }
}
