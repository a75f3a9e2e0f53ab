package omnipitch_test

import (
	"bytes"
	"flag"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/sensors"
	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/testdata/simtest"
	"github.com/omnipitch/omnipitch/worlds"
	"github.com/omnipitch/omnipitch/worlds/occupancy"
	"github.com/omnipitch/omnipitch/worlds/player"
)

var slamRun = flag.Bool("slam", false, "run TestSLAMMapsTheOffice, which needs carmen2rawlog and icp-slam of MRPT")

// officeRound visits every room of the office.
var officeRound = []player.Point{
	{X: -7.5}, {X: -7.5, Y: 3}, {X: -7.5}, {X: -6}, {X: -6, Y: -3.5}, {X: -6},
	{X: -2.5}, {X: -2.5, Y: 3}, {X: -2.5}, {X: -1}, {X: -1, Y: -3}, {X: -1},
	{X: 2.5}, {X: 2.5, Y: 3}, {X: 2.5}, {X: 3}, {X: 3, Y: -3.5}, {X: 3},
	{X: 6.5}, {X: 6.5, Y: 2.2}, {X: 6.5}, {X: 6}, {X: 6, Y: -4}, {X: 6}, {X: -8.5},
}

// icpSLAM is the configuration of icp-slam. The values are those of icp-slam_demo_classic.ini, which MRPT publishes,
// without its windows and logs.
const icpSLAM = `[ICP]
maxIterations = 80
minAbsStep_trans = 1e-6
minAbsStep_rot = 1e-6
thresholdDist = 0.3
thresholdAng_DEG = 5
ALFA = 0.8
smallestThresholdDist = 0.05
onlyClosestCorrespondences = true
onlyUniqueRobust = true
ICP_algorithm = icpClassic
corresponding_points_decimation = 5
[MappingApplication]
rawlog_offset = 0
logOutput_dir = out
LOG_FREQUENCY = 1000000
SAVE_3D_SCENE = 0
SAVE_POSE_LOG = 0
CAMERA_3DSCENE_FOLLOWS_ROBOT = 0
SHOW_PROGRESS_3D_REAL_TIME = 0
SHOW_PROGRESS_3D_REAL_TIME_DELAY_MS = 0
SHOW_LASER_SCANS_3D = 0
localizationLinDistance = 0.2
localizationAngDistance = 5
insertionLinDistance = 1.2
insertionAngDistance = 45
minICPgoodnessToAccept = 0.40
matchAgainstTheGrid = 0
occupancyGrid_count = 0
gasGrid_count = 0
landmarksMap_count = 0
beaconMap_count = 0
pointsMap_count = 1
likelihoodMapSelection = -1
[MappingApplication_pointsMap_00_insertOpts]
minDistBetweenLaserPoints = 0.05
fuseWithExisting = false
isPlanarMap = 1
`

// TestSLAMMapsTheOffice drives through all rooms of world office. MRPT's icp-slam makes a map from the scans and the
// odometry, and its points must lie on surfaces of the world. A map's frame is arbitrary, so the map is first moved as
// a whole to where it fits best.
func TestSLAMMapsTheOffice(t *testing.T) {
	if !*slamRun {
		t.Skip("make verify-slam runs this")
	}
	const most, least, seen = 0.03, 0.85, 0.1 // m; share of the edges, since furniture hides some; m
	w := simtest.World(t, "office")
	w.Robots[0].Player.Patrol.Points, w.Robots[0].Player.Patrol.BackAndForth = officeRound, false
	dir := t.TempDir()
	must.Do(t, os.WriteFile(filepath.Join(dir, "scans.log"), carmenLog(t, w, 170*time.Second), 0o600))
	must.Do(t, os.WriteFile(filepath.Join(dir, "icp.ini"), []byte(icpSLAM), 0o600))
	for _, command := range [][]string{{"carmen2rawlog", "-i", "scans.log", "-o", "scans.rawlog"},
		{"icp-slam", "icp.ini", "scans.rawlog"}} {
		c := exec.Command(command[0], command[1:]...)
		c.Dir = dir
		if text, err := c.CombinedOutput(); err != nil {
			t.Fatalf("%v: %v\n%s", command, err, text[max(0, len(text)-2000):])
		}
	}
	files := must.Get(filepath.Glob(filepath.Join(dir, "out", "_finalmaps_*PointsMap_00.txt")))(t)
	if len(files) != 1 {
		t.Fatalf("icp-slam wrote the maps %q, want one", files)
	}
	points := readPoints(t, files[0])

	height := w.LaserHeight()
	var solids []physics.StaticBox
	for _, b := range w.Model().StaticBoxes() {
		if b.Min[2] <= height && height <= b.Max[2] {
			solids = append(solids, b)
		}
	}
	toStart := mgl64.Vec3{w.Robots[0].Pose.X, w.Robots[0].Pose.Y, w.Robots[0].Pose.Heading}
	atStart := meanToSurface(solids, points, toStart)
	aligned := align(solids, points, toStart)
	mean := meanToSurface(solids, points, aligned)

	grid := must.Get(occupancy.Of(w.Model(), height, 0.05))(t)
	found := must.Get(occupancy.New(mgl64.Vec2{-11, -9}, mgl64.Vec2{11, 9}, grid.Resolution))(t)
	for _, p := range points {
		found.Draw(&spatial.UprightBox{Centre: moved(p, aligned).Vec3(0), Half: mgl64.Vec3{1e-3, 1e-3, 1}})
	}
	cells, on := 0, 0
	for i, v := range grid.Cells {
		x, y := i%grid.Width, i/grid.Width
		if v != occupancy.Occupied || grid.At(x-1, y) != occupancy.Free && grid.At(x+1, y) != occupancy.Free &&
			grid.At(x, y-1) != occupancy.Free && grid.At(x, y+1) != occupancy.Free {
			continue
		}
		cells++
		if toOccupied(found, grid.World(mgl64.Vec2{float64(x) + 0.5, float64(y) + 0.5}))*grid.Resolution <= seen {
			on++
		}
	}
	share := float64(on) / float64(cells)
	t.Logf("%d points are %.1f cm from the surfaces in the mean, and %.1f cm in the frame of the start; %.0f %% of the "+
		"exported map's edges have points within %.0f cm", len(points), 100*mean, 100*atStart, 100*share, 100*seen)
	if !(mean <= most) || !(share >= least) {
		t.Errorf("want at most %.0f cm, and at least %.0f %%", 100*most, 100*least)
	}
}

// readPoints reads a file with a point in each line.
func readPoints(t *testing.T, name string) (points []mgl64.Vec2) {
	for line := range strings.Lines(string(must.Get(os.ReadFile(name))(t))) {
		var p mgl64.Vec2
		if _, err := fmt.Sscan(line, &p[0], &p[1]); err != nil {
			t.Fatalf("%s: %q: %v", name, line, err)
		}
		points = append(points, p)
	}
	return points
}

// moved returns the point in the world, of a point in a map whose frame has the pose x, y and heading.
func moved(p mgl64.Vec2, poseWM mgl64.Vec3) mgl64.Vec2 {
	return mgl64.Rotate2D(poseWM[2]).Mul2x1(p).Add(poseWM.Vec2())
}

// align fits the map's points to the surfaces by iterative closest point, and returns the pose of the map's frame. It
// ignores points that are more than 0.5 m from every surface: they show the person who walks.
func align(solids []physics.StaticBox, points []mgl64.Vec2, poseWM mgl64.Vec3) mgl64.Vec3 {
	for range 30 {
		var from, to mgl64.Vec2
		var pairs [][2]mgl64.Vec2
		for i := 0; i < len(points); i += 10 {
			p := points[i]
			if q, d := nearestSurface(solids, moved(p, poseWM)); math.Abs(d) < 0.5 {
				pairs, from, to = append(pairs, [2]mgl64.Vec2{p, q}), from.Add(p), to.Add(q)
			}
		}
		from, to = from.Mul(1/float64(len(pairs))), to.Mul(1/float64(len(pairs)))
		sin, cos := 0.0, 0.0
		for _, pair := range pairs {
			p, q := pair[0].Sub(from), pair[1].Sub(to)
			sin, cos = sin+p[0]*q[1]-p[1]*q[0], cos+p.Dot(q)
		}
		turn := math.Atan2(sin, cos)
		poseWM = to.Sub(mgl64.Rotate2D(turn).Mul2x1(from)).Vec3(turn)
	}
	return poseWM
}

// meanToSurface returns the mean distance of a map's points from the surfaces, in m.
func meanToSurface(solids []physics.StaticBox, points []mgl64.Vec2, poseWM mgl64.Vec3) (mean float64) {
	for _, p := range points {
		_, d := nearestSurface(solids, moved(p, poseWM))
		mean += math.Abs(d) / float64(len(points))
	}
	return mean
}

// carmenSecond is a second in the logs that carmen2rawlog reads: version 2.5.8 divides the time by 1e12 too much.
const carmenSecond = 1e12

// carmenLog runs the world and returns the scans of its robot's laser, with the odometry, as text in the format of
// CARMEN's logs.
func carmenLog(t *testing.T, w *worlds.World, d time.Duration) []byte {
	sim, robot := simtest.New(t, w, omnipitch.Options{}), w.Robots[0].Name
	mount := simtest.Sensor(t, w, robot, "laser").Mount.Pose()
	odometry := map[time.Duration]spatial.Pose{}
	sim.On(robot, "odometry", func(o *sensors.Observation) {
		odometry[o.Stamp] = o.Reading.(*sensors.OdometryReading).PoseOB
	})
	var log bytes.Buffer
	var scans []func()
	sim.On(robot, "laser", func(o *sensors.Observation) {
		stamp, s := o.Stamp, *o.Reading.(*sensors.LaserScan)
		s.Ranges = slices.Clone(s.Ranges)
		scans = append(scans, func() {
			poseOB, ok := odometry[stamp]
			if !ok {
				return // it has not arrived before the end of the run
			}
			fov := float64(len(s.Ranges)-1) * s.Step
			fmt.Fprintf(&log, "ROBOTLASER1 0 %.8f %.8f %.8f %g 0 0 %d", -fov/2, fov, s.Step, s.Max, len(s.Ranges))
			for _, r := range s.Ranges {
				if math.IsInf(r, 0) {
					r = s.Max
				}
				fmt.Fprintf(&log, " %.4f", r)
			}
			l := poseOB.Mul(mount)
			fmt.Fprintf(&log, " 0 %.6f %.6f %.8f", l.Pos[0], l.Pos[1], l.Heading()+s.First+fov/2)
			fmt.Fprintf(&log, " %.6f %.6f %.8f 0 0 0 0 0 %.6f robot 0\n", poseOB.Pos[0], poseOB.Pos[1],
				poseOB.Heading(), stamp.Seconds()*carmenSecond)
		})
	})
	sim.RunFor(d)
	for _, write := range scans {
		write()
	}
	return log.Bytes()
}
