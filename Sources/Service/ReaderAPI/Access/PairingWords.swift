internal import OpenSSLCrypto

/// Three words that sign a page in, such as `lamp-river-stone`. A person reads them on one screen and types
/// them on another.
///
/// Each word is one of 1024, so that three words have 30 bits. With so few bits the words are safe only
/// because `OpenPairings` counts the wrong tries.
struct PairingWords: Sendable {
    /// The number of words of one pairing.
    static let count = 3
    /// The maximum size of a typed text, in bytes: three words, with room for additional spaces.
    static let longestText = 64

    /// The words, with hyphens between them.
    let text: String

    /// Chooses three words at random.
    init() throws(OpenSSLCryptoError) {
        let random = try randomBytes(2 * Self.count)
        text = (0..<Self.count).map { position in
            // The list has 1024 words, so the remainder of 16 random bits is not biased.
            let number = Int(random[2 * position]) << 8 | Int(random[2 * position + 1])
            return Self.list[number % Self.list.count]
        }.joined(separator: "-")
    }

    /// Returns the letters of a typed text in lower case, without the spaces, hyphens and other characters
    /// between them.
    static func folded(_ text: String) -> String {
        String(text.lowercased().unicodeScalars.filter { ("a"..."z").contains($0) })
    }

    /// The words, in alphabetical order. A word has three to six letters. No word sounds like another
    /// English word, and two words differ in more than one letter, so that a word that was heard or typed
    /// wrongly is seldom another word.
    static let list: [String] = """
        above acorn across actor actual adapt adjust admire adult advice aerial affair afford after
        again agent agile alarm album alert alley almond almost alpine always amber amuse anchor angle
        animal annual answer anthem antler anvil apart appear apple apron arch arctic arena aroma arrow
        artist ashes aspect aspen asset atlas atom attic author autumn avenue awake award axle azure
        baby bacon badge bagel baker bamboo banana banjo banner barley basin basket bath beagle bean
        beauty beaver before behind bench beside beyond binary birch blade blank bobbin bobcat body
        bonus boot borrow bottle bounce bowl branch brass brave brick bridge brief bright broad bronze
        broom brush bubble bucket buckle budget buffet bulb bundle burger busy butter button cabin cable
        cactus calf camel camera camper canal canary candle candy canoe canopy canyon cape carbon career
        cargo carol carpet cart carve cashew castle casual cavern cedar celery cello cement chain chance
        charm cheer cheese chef cherry child chorus chunk cinema circle citrus civic clam clean clerk
        cliff climb clinic clock close cloth cloud clover club cobalt cobra cobweb cocoa coffee collar
        colony colt column comedy comet comic common copper copy corner cosmos cotton county couple
        cousin crab cradle crane crater credit crew crisp crown crumb crunch cube curl curry custom
        cycle daisy dancer dare dash data dawn decade decor defend denim depth desk detail detect device
        diary diesel diet digit dinner direct divide doctor domino donate donkey double dove dozen
        dragon drama drawer dream dress drift drill drink drive drop dry duck dune eager early earth
        easel east echo effort elbow elder eleven elf empire empty enable energy engine enough enter
        entree epoch equal equip era estate exit expand expert extra fabric face falcon family farmer
        fathom fence fern ferry fetch fiddle field fifty fig figure film filter finch finger fish five
        flag flame flash fleece flex flint flip float floor fluffy fluid fly foam focus folder follow
        forest fork formal forum fossil fox fresh friend frog frost fruit fudge fun funnel funny future
        gadget galaxy game garage garden garlic garnet gather gem genius gentle giant gift glad glass
        glider globe glow glue goal goblet golden goose gown grain grape grasp gravel gravy grid grove
        growth guava guide guitar habit hammer hand harp hatch hawk hazel health heavy hedge height
        helium helmet help hen herald hero hidden hill hinge hockey home honey hood host hotel hover hub
        human hunter hurdle icicle icon ideal igloo iguana image impact import index indigo input inside
        invite island ivory ivy jacket jaguar jar jelly jet jigsaw job join joke juice jumbo jumper
        jungle junior jury kayak kettle keypad kind kiosk kite kiwi knee knife label ladle lagoon lake
        lamb laptop large lark laser laugh lava lazy leave left leg legend lemon level light lilac lime
        limit linen link lion liquid list little lizard local lodge logic long loop lotion lotus lounge
        lucky lunch lupine magic magnet maiden major maple marble margin marina market master matrix
        meadow medium melody melon member memory mentor menu merit method mild mint mirror mitten mix
        mobile model modern modest mole moment month moon mother movie much mud muffin museum muslin
        napkin nation native nature navy neck nectar needle nephew nest nickel nimble north novel number
        nurse nutmeg nylon oasis oat obey object ocean octave office old olive omelet onion onyx opal
        opera option orange orbit orchid order organ origin otter output oven oxygen oyster pack paddle
        page palace palm panda panel papaya paper parade parcel parent parrot party pasta pastry patio
        peanut pebble pencil people person petal pewter photo phrase piano pickle picnic pillow pilot
        pine pinto pitch pixel pizza plaid planet plate play plaza pledge plenty plug podium poem point
        polish polka pollen pond poplar porch portal pose possum potato powder praise prawn prefer prism
        prompt proof propel proud prune public pueblo pulp pulse pupil puppet push puzzle python quail
        quasar queen quench query quest quick quiet quince quiver quota rabbit radar radio radish raft
        rail raisin ramp random rapid rascal rattle raven rebel recall recipe record reduce reef refuge
        region regret reject relay relish remain remedy remind renew repair repeat reply report rescue
        resist result retire return reveal reward rhino rhythm ribbon rice rinse ripple ritual river
        rocker rope rotate round rubber ruby rug ruler runway rustic safari safe sailor salad salmon
        salsa salt salute salvo sample sandal satin saturn scarab scarf scheme school scoop score scout
        scrap screen scroll scrub search season seat second secret secure sedan seek select senior sense
        sequel sequin series setup seven shadow shaft shanty shape shark sheet shelf shield shine short
        shovel shrimp shrug shy siesta signal silent silk silver siren sister sketch skin skirt skunk
        slab sled sleep sleeve slim slogan sluice slush small smart smelt smoke smooth snack snail snap
        snow soccer social sofa solve sombre sorbet soup south spare speak speed spell sphere spice
        spider spiral spirit split sponge spoon spot spray spring sprout spruce square squash squid
        stable stage stamp stand star statue steam stereo stick still sting stone storm street stripe
        strong stucco studio stuff suburb subway sugar sulfur summer summit sundae sunset supply surfer
        swan swarm swift switch swivel syrup system tablet tackle talent talk talon target tarpon tartan
        tassel taxi teach teapot tell tempo tenant tennis tent term thank theme theory thing thread
        three thrive throat thumb ticket tidy tiger tilt tinsel tip tissue title toast token tomato
        tongue tonic tooth topaz total toward towel toy track trade trap treaty trench trend trial tribe
        trim tripod triton trophy trout true truly trunk truth tulip tuna tundra turkey turnip turtle
        tutor tuxedo tweed twelve twenty twice twin twist uncle under unfold unique unit until update
        uphold upland upon urban urchin usage useful usual vacant vacuum valid value van vanish vapor
        vault vector velvet vendor verb verify verse vespa vessel viable video view violet violin virtue
        visa vision visit visor vital vivid voice void volume vortex vote voyage waffle wagon waiter
        walnut walrus waltz want wasp web wharf wheat whisk wicker wide widget wigwam window wing winter
        wisdom wolf wombat wonder wool worker worm wreath wrist yacht yard year yellow yes yeti yogurt
        young zebra zenith zephyr zigzag zinc zinnia zipper zodiac zone
        """.split { $0 == " " || $0 == "\n" }.map(String.init)
}
