"""The pictures of the documentation: each is a scene of a page, of a fixed size, the same each time it is taken.
`Hardware/VirtualBench/kiosk-tests --pictures` takes them anew."""

import base64
import os
import pathlib
import unittest

import test_chain
import test_scenes
from browser import LANDSCAPE, KioskCase

ROOT = pathlib.Path(__file__).resolve().parents[2]
IMAGES = ROOT / "Documentation/Images"
TAKEN_ANEW = "KIOSK_PICTURES" in os.environ
# Scene, page and look.
PICTURES = {"clerk.png": ("compare", "clerk", "dark"), "customer.png": ("armed", "kiosk", "light"), "chain.png": ("mixed", "chain", "light")}
# A sheet with every scene of a page: page, width and height of the screen, width of each scene on the sheet, and columns.
SHEETS = {f"scenes-{layout}-{width}x{height}.jpg": (layout, width, height, small, columns)
          for layout in ("customer", "clerk")
          for width, height, small, columns in ((1080, 1920, 180, 8), (1280, 800, 260, 6), (1024, 768, 240, 6))}
# The share of pixels that may differ clearly: fonts are drawn a little differently by each Chromium.
TOLERANCE = 0.02
# A browser may let sound begin by itself, sooner or later, or wait for the first touch.
SILENT = 'Object.defineProperty(BaseAudioContext.prototype, "state", { get: () => "suspended" });'
# The time that is left would be less in the second picture.
STILL = 'performance.now = () => 0; Date.parse = (text) => text.endsWith("GMT") ? 0 : 120_000;'
DIFFERENCE = """async ([one, other]) => {
    const pixels = async data => {
        const image = await createImageBitmap(new Blob([Uint8Array.from(atob(data), c => c.charCodeAt(0))]));
        const canvas = new OffscreenCanvas(image.width, image.height).getContext("2d");
        canvas.drawImage(image, 0, 0);
        return canvas.getImageData(0, 0, image.width, image.height).data;
    };
    const [a, b] = [await pixels(one), await pixels(other)];
    let differing = 0;
    for (let i = 0; i < a.length; i += 4)
        differing += Math.max(...[0, 1, 2].map(c => Math.abs(a[i + c] - b[i + c]))) > 64;
    return a.length === b.length ? differing / (a.length / 4) : 1;
}"""


def size(png):
    """Width and height, from the first chunk."""
    return {"width": int.from_bytes(png[16:20], "big"), "height": int.from_bytes(png[20:24], "big")}


class PictureTests(KioskCase):
    play = test_scenes.SceneTests.play

    def take(self, name):
        scene, layout, look = PICTURES[name]
        if layout == "chain":
            return self.take_chain(look)
        page = self.open(layout, script=SILENT + STILL,
                         context=self.context(color_scheme=look, reduced_motion="reduce", device_scale_factor=1))
        self.play(scene, **{"customer" if layout == "kiosk" else layout: page})
        # What is asked comes after the event.
        self.settle(page)
        self.wait_images(page)
        picture = page.screenshot(animations="disabled")
        page.context.close()
        return picture

    def take_chain(self, look):
        """The operator's page, of a scripted hub."""
        hub = test_chain.Hub()
        self.addCleanup(hub.server_close)
        self.addCleanup(hub.shutdown)
        hub.kiosks, hub.documents = test_chain.MIXED
        page = self.context(color_scheme=look, reduced_motion="reduce", device_scale_factor=1, timezone_id="UTC").new_page()
        page.clock.set_fixed_time("2026-11-25T12:00:30Z")
        page.goto(hub.url)
        page.wait_for_selector('body[data-screen="operator"]')
        page.fill("[data-token]", test_chain.TOKEN)
        page.click("button[type=submit]")
        page.wait_for_selector("[data-kiosks] tbody tr")
        picture = page.screenshot(animations="disabled")
        page.context.close()
        return picture

    def take_sheets(self):
        """One after the other; each scene is played once."""
        # The loss of contact is no scene of the daemon, so it is not among them.
        pages = self.both(context=self.context(reduced_motion="reduce", device_scale_factor=1))
        taken = {name: [] for name in SHEETS}
        for scene in test_scenes.SCENES:
            self.play(scene, *pages)
            for name, (layout, width, height, _, _) in SHEETS.items():
                page = pages[layout == "clerk"]
                page.set_viewport_size({"width": width, "height": height})
                self.settle(page)
                taken[name].append((scene, page.screenshot(animations="disabled", type="jpeg", quality=90)))
        return {name: self.sheet(taken[name], *SHEETS[name][3:]) for name in SHEETS}

    def sheet(self, scenes, small, columns):
        figures = "".join(
            f'<figure><img width="{small}" src="data:image/jpeg;base64,{base64.b64encode(image).decode()}">'
            f"<figcaption>{scene}</figcaption></figure>" for scene, image in scenes)
        page = self.context(viewport={"width": (small + 12) * columns, "height": 600}, device_scale_factor=1).new_page()
        page.set_content(
            "<style>body { margin: 0; display: flex; flex-wrap: wrap; background: #59636e; color: #fff; font: 13px 'Noto Sans' }"
            f"figure {{ margin: 6px; width: {small}px }}</style>{figures}")
        self.wait_images(page)
        return page.screenshot(full_page=True, type="jpeg", quality=70)

    def difference(self, one, other):
        page = self.context().new_page()
        return page.evaluate(DIFFERENCE, [base64.b64encode(png).decode() for png in (one, other)])

    def test_each_picture_is_the_same_each_time_and_the_one_that_is_committed(self):
        for name in PICTURES:
            with self.subTest(picture=name):
                picture = self.take(name)
                self.assertEqual(size(picture), LANDSCAPE)
                self.assertEqual(self.difference(picture, self.take(name)), 0)
                if TAKEN_ANEW:
                    (IMAGES / name).write_bytes(picture)
                self.assertLessEqual(
                    self.difference(picture, (IMAGES / name).read_bytes()), TOLERANCE,
                    "the page has changed: take the pictures again with kiosk-tests --pictures, and look at them")

    # The sheets are for the documentation: nothing compares them.
    if TAKEN_ANEW:
        def test_the_sheets_of_all_scenes_are_taken(self):
            for name, picture in self.take_sheets().items():
                (IMAGES / name).write_bytes(picture)
            self.assertLess(sum((IMAGES / name).stat().st_size for name in SHEETS), 3 << 20)

    def test_another_scene_is_another_picture(self):
        self.assertGreater(self.difference(self.take("clerk.png"), self.take("customer.png")), TOLERANCE)

    def test_each_committed_picture_is_taken_here_and_shown_on_a_page(self):
        self.assertEqual({path.name for path in IMAGES.iterdir()}, {*PICTURES, *SHEETS})
        pages = [ROOT / "README.md", *(ROOT / "Documentation").glob("*.md")]
        for name in PICTURES:
            self.assertEqual(size((IMAGES / name).read_bytes()), LANDSCAPE, name)
        for name in (*PICTURES, *SHEETS):
            self.assertTrue(any(f"Images/{name})" in page.read_text() for page in pages), name)
