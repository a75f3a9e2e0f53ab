package dashboard

import (
	"testing"
)

// TestPicturesInBrowser checks pictures and readings in the browser. Overlays match their picture, and depth has false
// colours and a scale. A laser scan is drawn around its robot and over the field, and other readings are numbers.
// Sensors have rates, delays and costs, and the pace of the run has curves.
func TestPicturesInBrowser(t *testing.T) {
	t.Parallel()
	w := looking(t, 120, 90)
	addLaser(&w.Robots[1])
	p := browse(t, serve(t, w))
	keeper, player := w.Robots[0].Name, w.Robots[1].Name
	open := func(name string) {
		t.Helper()
		p.openAll()
		p.press(`button[data-camera="` + name + `"]`)
		p.holds(`!document.querySelector('figure[data-camera="%s"] .sight > p:first-child')`, name)
	}
	open(player + ".omni")
	for _, kind := range overlayNames {
		p.click(`input[data-overlay="` + kind + `"]`)
		p.shows(`figure .overlays .` + kind)
	}
	open(player + ".front")
	p.shows(`figure[data-camera="` + player + `.front"] .overlays .lines`)
	p.screenshots("overlays")
	for _, name := range []string{player + ".omni", player + ".front"} {
		p.press(`button[data-camera="` + name + `"]`)
	}

	open(keeper + ".kinect_left")
	p.choose("figcaption select", "depth")
	p.holds(`document.querySelector('.depth-scale img').naturalWidth === 254 && !document.querySelector('.depth-scale').hidden`)

	open(player + ".laser")
	p.holds(`document.querySelector('.scan-point').getTotalLength() >= 0 &&
		document.querySelector('#field .scan .stroke').getAttribute('d').length > 100`)
	open(player + ".imu")
	p.holds(`document.querySelectorAll('.numbers dd').length === 2 && document.querySelector('.numbers dd').textContent.endsWith('m/s²')`)

	// Timing of sensors, and of the run.
	p.holds(`[...document.querySelectorAll('tr')].some(r => r.querySelector('th')?.textContent === 'imu' &&
		Number(r.querySelectorAll('.figures span')[1].textContent) > 0)`)
	p.screenshots("readings")
	p.click("#pace-tab")
	p.holds(`[...document.querySelectorAll('#pace .plot > .curve.a')].every(c => c.getAttribute('d')?.length > 10)`)
	p.screenshots("pace")
	p.clean()
}
