package assess

import (
	"bytes"
	"encoding/base64"
	"encoding/csv"
	"encoding/json"
	"encoding/xml"
	"flag"
	"image/jpeg"
	"io"
	"math"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/omnipitch/omnipitch/robotio/msg"
	"github.com/omnipitch/omnipitch/testdata/must"
)

var pageTo = flag.String("page", "", "write the page of TestPage into this file, to be looked at")

// checkPage fails the test unless the page is well formed, refers to no other file, and has no NaN or infinite figure.
func checkPage(t *testing.T, r *Result) string {
	t.Helper()
	var page bytes.Buffer
	must.Do(t, r.WritePage(&page))
	if *pageTo != "" {
		must.Do(t, os.WriteFile(*pageTo, page.Bytes(), 0o600))
	}
	text := page.String()
	plain := regexp.MustCompile(`base64,[^"]*`).ReplaceAllString(text, "") // image data may contain any text
	for _, bad := range []string{"NaN", "Inf", "%!", "ZgotmplZ", `src="http`, `href="http`, "url("} {
		if strings.Contains(plain, bad) {
			t.Errorf("the page has %s", bad)
		}
	}
	for rest := text; ; { // each picture is a separate XML document
		_, svg, found := strings.Cut(rest, "<svg")
		if !found {
			break
		}
		svg, after, closed := strings.Cut(svg, "</svg>")
		if !closed {
			t.Fatal("a picture does not end")
		}
		d := xml.NewDecoder(strings.NewReader("<svg" + svg + "</svg>"))
		for {
			if _, err := d.Token(); err == io.EOF {
				break
			} else if err != nil {
				t.Fatalf("a picture: %v", err)
			}
		}
		rest = after
	}
	return text
}

// checkFiles fails the test unless the other files can be read and hold as many samples as there are.
func checkFiles(t *testing.T, r *Result) {
	t.Helper()
	var table bytes.Buffer
	must.Do(t, r.WriteCSV(&table))
	rows, err := csv.NewReader(&table).ReadAll()
	if err != nil || len(rows) != len(r.Samples)+1 {
		t.Errorf("%d rows of %d samples, %v", len(rows), len(r.Samples), err)
	}
	text, err := json.Marshal(r)
	if err != nil || !json.Valid(text) {
		t.Errorf("%s, %v", text, err)
	}
}

// TestWorstFramesShowWhatThereIs checks the images of the worst frames on the page. Where the page draws the ball, the
// image must have pixels of the ball's colour. The lines of a correct believed pose must lie on the white lines of the
// image. The lines of a wrong pose must not.
func TestWorstFramesShowWhatThereIs(t *testing.T) {
	world := strings.Replace(oracleWorld, `level = "truth"`, `level = "raw"`, 1)
	onLines := func(off float64) (share float64) {
		p := newPeer(t, world, Config{Robot: "cyan1", Topics: []Topic{{Name: "vision/pose"}, {Name: "vision/ball"}}})
		poses := advertise[msg.PoseStamped](p, "/cyan1/vision/pose", "geometry_msgs/PoseStamped")
		balls := advertise[pointStamped](p, "/cyan1/vision/ball", "geometry_msgs/PointStamped")
		r := p.run(1200*time.Millisecond, 50*time.Millisecond, func(l look) {
			me := l.truth.Robots[0].PoseWB
			sin, cos := math.Sincos(me.Heading() / 2)
			poses(&msg.PoseStamped{Header: header(l, "map"), Pose: msg.Pose{Position: msg.Point{X: me.Pos[0] + off,
				Y: me.Pos[1] + 1e-6}, Orientation: msg.Quaternion{Z: sin, W: cos}}})
			balls(&pointStamped{header(l, "base_link"), msg.Point{X: 0.5, Y: -2}}) // a ball that does not exist
		})
		page := checkPage(t, r)
		frames := regexp.MustCompile(
			`(?s)<svg class="frame".*?href="data:image/jpeg;base64,([^"]+)"/>(.*?)</svg>`).FindAllStringSubmatch(page,
			-1)
		if len(frames) < 2 {
			t.Fatalf("%d frames", len(frames))
		}
		white, points := 0, 0
		for _, f := range frames {
			m := must.Get(jpeg.Decode(bytes.NewReader(must.Get(base64.StdEncoding.DecodeString(f[1]))(t))))(t)
			pixel := func(x, y int) (r, g, b int) {
				cr, cg, cb, _ := m.At(x, y).RGBA()
				return int(cr >> 8), int(cg >> 8), int(cb >> 8)
			}
			var xs, ys []float64
			for y := range m.Bounds().Dy() {
				for x := range m.Bounds().Dx() {
					if r, g, b := pixel(x, y); r > 140 && 10*g > 5*r && g < r && 10*b < 5*r {
						xs, ys = append(xs, float64(x)), append(ys, float64(y))
					}
				}
			}
			ring := regexp.MustCompile(`points="([^"]+)"><title>ball is here`).FindStringSubmatch(f[2])
			if len(xs) < 10 || ring == nil {
				t.Fatalf("%d pixels of the ball, drawn in: %v", len(xs), ring != nil)
			}
			slices.Sort(xs)
			slices.Sort(ys)
			x, y := quantile(xs, 0.5), quantile(ys, 0.5) // few pixels of other objects have such a colour
			at := meanOf(t, ring[1])
			if off := math.Hypot(at[0]-x, at[1]-y); !(off < 8) { // radius of the ball; its dark parts are not found
				t.Errorf("the ball is drawn in at %v, and is at (%.1f, %.1f)", at, x, y)
			}
			if !strings.Contains(f[2], "nothing is here") {
				t.Error("the ball that is not there is not drawn in")
			}
			for _, line := range regexp.MustCompile(`stroke="#ff0" stroke-width="0.8" points="([^"]+)"`).FindAllStringSubmatch(f[2], -1) {
				for _, at := range pointsOf(t, line[1]) {
					r, g, b := pixel(int(math.Round(at[0])), int(math.Round(at[1])))
					if math.Hypot(at[0]-320, at[1]-320) > 200 || math.Hypot(at[0]-320, at[1]-320) < 70 {
						continue // far lines are narrower than a pixel, and near ones are hidden by the robot
					}
					if points++; r > 120 && g > 120 && b > 110 {
						white++
					}
				}
			}
		}
		if points < 100 {
			t.Fatalf("%d points of lines", points)
		}
		return float64(white) / float64(points)
	}
	if right, wrong := onLines(0), onLines(0.4); !(right > 0.7) || !(wrong < 0.4) {
		t.Errorf("%.2f of the lines of a pose that is right are on white lines, %.2f of one that is wrong", right,
			wrong)
	}
}

// pointsOf parses the points of a polyline.
func pointsOf(t *testing.T, text string) (all [][2]float64) {
	t.Helper()
	for _, p := range strings.Fields(text) {
		x, y, _ := strings.Cut(p, ",")
		all = append(all, [2]float64{must.Get(strconv.ParseFloat(x, 64))(t), must.Get(strconv.ParseFloat(y, 64))(t)})
	}
	return all
}

func meanOf(t *testing.T, text string) (mean [2]float64) {
	t.Helper()
	all := pointsOf(t, text)
	for _, p := range all {
		mean[0], mean[1] = mean[0]+p[0]/float64(len(all)), mean[1]+p[1]/float64(len(all))
	}
	return mean
}
