//go:build cgo

package worlds_test

import (
	"encoding/csv"
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/go-gl/mathgl/mgl64"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/sensors"
	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/testdata/simtest"
	"github.com/omnipitch/omnipitch/worlds"
)

// wall is a straight part of a scan: the beams from first up to but not including end, and the line that fits their
// points, by the angle of its direction and its distance from the origin. The residuals are distances from the line.
type wall struct {
	first, end      int
	angle, distance float64
	residuals       []float64
}

// fitWall fits a line to the points of beams from first to end by total least squares.
func fitWall(points []mgl64.Vec2, first, end int) wall {
	var mean mgl64.Vec2
	n := float64(end - first)
	for _, p := range points[first:end] {
		mean = mean.Add(p.Mul(1 / n))
	}
	var xx, xy, yy float64
	for _, p := range points[first:end] {
		d := p.Sub(mean)
		xx, xy, yy = xx+d[0]*d[0], xy+d[0]*d[1], yy+d[1]*d[1]
	}
	w := wall{first: first, end: end, angle: math.Atan2(2*xy, xx-yy) / 2}
	sin, cos := math.Sincos(w.angle)
	normal := mgl64.Vec2{-sin, cos}
	w.distance = mean.Dot(normal)
	for _, p := range points[first:end] {
		w.residuals = append(w.residuals, p.Dot(normal)-w.distance)
	}
	return w
}

// sigma returns the standard deviation of the residuals.
func (w *wall) sigma() float64 {
	square := 0.0
	for _, r := range w.residuals {
		square += r * r
	}
	return math.Sqrt(square / float64(len(w.residuals)-2))
}

// scanPoints returns the points of a scan of 180°, NaN for beams without echo.
func scanPoints(ranges []float64) (points []mgl64.Vec2) {
	for i, r := range ranges {
		if !(r < 80) { // 81.87 m and more are codes of the device
			r = math.NaN()
		}
		sin, cos := math.Sincos(math.Pi * (float64(i)/float64(len(ranges)-1) - 0.5))
		points = append(points, mgl64.Vec2{r * cos, r * sin})
	}
	return points
}

// wallsOf returns the longest straight parts of a scan with at least 20 beams, of which none is more than 2 cm from
// the line.
func wallsOf(points []mgl64.Vec2) (walls []wall) {
	for i := 0; i+20 <= len(points); {
		var longest *wall
		for end := i + 8; end <= len(points); end++ {
			w := fitWall(points, i, end)
			straight := true
			for k, r := range w.residuals {
				straight = straight && math.Abs(r) <= 0.02 &&
					(k == 0 || points[i+k].Sub(points[i+k-1]).Len() < 0.5)
			}
			if !straight {
				break
			}
			longest = &w
		}
		if longest == nil || longest.end-i < 20 {
			i++
			continue
		}
		walls, i = append(walls, *longest), longest.end
	}
	return walls
}

// scannerInHall is a world with a robot whose laser scanner sees no walls. Keys of the scanner may follow.
const scannerInHall = `name = "hall"
field = false
ball = false
physics.engine = "planar"
floor.size_m = [60, 60]
[[robot]]
name = "robot1"
model = "differential"
number = 1
[[robot.sensor]]
name = "laser"
kind = "laser"
mount = { z_m = 0.3 }
`

// Scans of a SICK LMS2xx are simulated again among walls that are fitted to the real ones. The residuals of the real
// and of the simulated walls have the same σ within 20 %. Source of the scans: data set "sena" of MRPT, 2006.
func TestLaserScansHaveTheResidualsOfReality(t *testing.T) {
	file := must.Get(os.Open("../testdata/real/sena-sick-2006.csv"))(t)
	defer file.Close()
	rows := must.Get(csv.NewReader(file).ReadAll())(t)
	var actual, simulated []float64
	for _, row := range rows {
		var ranges []float64
		for _, x := range row[1:] {
			ranges = append(ranges, must.Get(strconv.ParseFloat(x, 64))(t))
		}
		points := scanPoints(ranges)
		walls := wallsOf(points)
		if len(walls) == 0 {
			continue
		}
		var text strings.Builder
		fmt.Fprint(&text, scannerInHall, "profile = \"sick-lms200\"\n")
		for i, w := range walls {
			a, b := points[w.first], points[w.end-1]
			along := mgl64.Vec2{math.Cos(w.angle), math.Sin(w.angle)}
			normal := mgl64.Vec2{-along[1], along[0]}
			// the face, not the centre of the box, is where the scan sees the wall
			thick := math.Copysign(0.01, w.distance)
			centre := along.Mul((a.Dot(along) + b.Dot(along)) / 2).Add(normal.Mul(w.distance + thick))
			fmt.Fprintf(&text, "[[box]]\nname = \"wall%d\"\npose = { x_m = %v, y_m = %v, heading_deg = %v }\n"+
				"size_m = [%v, 0.02, 1]\nmaterial = { color = \"#e9e6dd\" }\n", i, centre[0], centre[1],
				w.angle/spatial.Degree, b.Sub(a).Len()+0.1)
		}
		sim := simtest.New(t, simtest.Parse(t, text.String()), omnipitch.Options{NewRenderer: simtest.Grey})
		var again []mgl64.Vec2
		sim.On("robot1", "laser", func(o *sensors.Observation) {
			if again == nil {
				again = scanPoints(o.Reading.(*sensors.LaserScan).Ranges)
			}
		})
		sim.Steps(30)
		for _, w := range walls {
			part := slices.DeleteFunc(slices.Clone(again[w.first:w.end]), func(p mgl64.Vec2) bool {
				return math.IsNaN(p[0])
			})
			if len(part) < 20 {
				continue
			}
			same := fitWall(part, 0, len(part))
			actual, simulated = append(actual, w.sigma()), append(simulated, same.sigma())
		}
		sim.Close()
	}
	slices.Sort(actual)
	slices.Sort(simulated)
	got, want := stat.Quantile(0.5, stat.Empirical, simulated, nil), stat.Quantile(0.5, stat.Empirical, actual, nil)
	t.Logf("%d walls in %d scans: median σ of the residuals %.1f mm, real %.1f mm", len(actual), len(rows), 1e3*got,
		1e3*want)
	if len(actual) < 25 {
		t.Errorf("only %d walls were compared", len(actual))
	}
	must.Near(t, "σ of residuals", got, want, 0.2*want)
}

// officeScans returns the scans of a URG-04LX on the robot of the world office, until the end. The robot stands if
// pose is not nil.
func officeScans(t *testing.T, pose *mgl64.Vec3, end time.Duration) (scans [][]float64) {
	w := simtest.World(t, "office", func(w *worlds.World) {
		r := &w.Robots[0]
		c := sensors.Config{Name: "urg", Mount: sensors.Mount{X: 0.15, Z: 0.3}}
		c.Prepare(func(key string) string { return map[string]string{"kind": "laser", "profile": "urg-04lx"}[key] })
		r.Sensors = []sensors.Config{c}
		if pose != nil {
			r.Player = nil
			r.Pose.X, r.Pose.Y, r.Pose.Heading = pose[0], pose[1], pose[2]
		}
	})
	sim := simtest.New(t, w, omnipitch.Options{NewRenderer: simtest.Grey})
	sim.On("robot1", "urg", func(o *sensors.Observation) {
		scans = append(scans, slices.Clone(o.Reading.(*sensors.LaserScan).Ranges))
	})
	sim.Until(end)
	sim.Close()
	return scans
}

// A URG-04LX in an office misses as many echoes as one in a real building, and as many beams alternate between echo and
// none while the robot stands.
func TestLaserMissesAsManyEchoesAsInReality(t *testing.T) {
	missed, beams := 0.0, 0.0
	for _, scan := range officeScans(t, nil, 20*time.Second) {
		for _, r := range scan {
			if beams++; math.IsInf(r, 0) {
				missed++
			}
		}
	}
	flickering, standing := 0.0, 0.0
	for _, pose := range []mgl64.Vec3{{-9, 0, 0}, {-7.5, 3, 1}, {-1, -3, 2}, {-1, 0, 3}, {6.5, 2.2, -1}, {3, 0, -2}} {
		scans := officeScans(t, &pose, 2*time.Second)
		for beam := range scans[0] {
			echoes := 0
			for _, scan := range scans {
				if !math.IsInf(scan[beam], 0) {
					echoes++
				}
			}
			if standing++; echoes > 0 && echoes < len(scans) {
				flickering++
			}
		}
		t.Logf("%v: %d scans, %.3f flicker so far", pose, len(scans), flickering/standing)
	}
	t.Logf("without echo while driving: %.3f, real 0.53 to 0.55; flickering while standing: %.3f, real 0.13 to 0.17",
		missed/beams, flickering/standing)
	must.Near(t, "share without echo", missed/beams, 0.54, 0.15*0.54)
	must.Near(t, "share that flickers", flickering/standing, 0.15, 0.15*0.15)
}

// The share of beams that return from a wall follows from the wall's reflectance, its distance and the angle of
// incidence: the light is proportional to reflectance·cos(angle)/distance².
func TestLaserMissesDarkAndObliqueWalls(t *testing.T) {
	const dark, distance, noise = 4.0, 3.0, 0.25
	for color, reflectance := range map[string]float64{"#595959": 0.0999, "#7c7c7c": 0.2016} { // sRGB
		w := simtest.Parse(t, fmt.Sprintf(scannerInHall+`laser = { fov_deg = 160, resolution_deg = 1, max_m = 40, dark_range_m = %v, signal_noise = %v }
[[box]]
name = "wall"
pose = { x_m = %v }
size_m = [0.2, 58, 1]
material = { color = "%s", gloss = 0 }
`, dark, noise, distance+0.1, color))
		sim := simtest.New(t, w, omnipitch.Options{NewRenderer: simtest.Grey})
		var echoes []float64
		scans := 0.0
		sim.On("robot1", "laser", func(o *sensors.Observation) {
			scan := o.Reading.(*sensors.LaserScan)
			scans++
			echoes = append(echoes, make([]float64, len(scan.Ranges)-len(echoes))...)
			for i, r := range scan.Ranges {
				if !math.IsInf(r, 0) {
					echoes[i]++
				}
			}
		})
		sim.Until(4 * time.Second)
		got, want, some := 0.0, 0.0, 0
		for i, n := range echoes {
			cos := math.Cos(spatial.Degree * (float64(i) - 80))
			signal := reflectance * math.Pow(cos, 3) * dark * dark / (0.1 * distance * distance)
			share := distuv.UnitNormal.CDF((signal - 1) / noise)
			got, want = got+n/scans, want+share
			if share > 0.05 && share < 0.95 {
				some++
			}
		}
		t.Logf("%s: %.1f of %d beams return, %.1f by the formula", color, got, len(echoes), want)
		must.Near(t, color+": returning beams", got, want, 0.03*want)
		if some < 10 {
			t.Errorf("%s: only %d beams are near the threshold", color, some)
		}
	}
}
