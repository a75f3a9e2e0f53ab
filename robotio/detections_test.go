package robotio

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/render/backend"
	"github.com/omnipitch/omnipitch/robotio/msg"
	"github.com/omnipitch/omnipitch/sensors"
	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/worlds"
	"github.com/omnipitch/omnipitch/worlds/action"
)

// Messages of vision_msgs 0.0.2.
type (
	hypothesis struct {
		ID    int64
		Score float64
		Pose  msg.PoseWithCovariance
	}
	detection2D struct {
		Header  msg.Header
		Results []hypothesis
		BBox    struct {
			Center       struct{ X, Y, Theta float64 }
			SizeX, SizeY float64
		}
		SourceImg msg.Image
	}
	detections2D struct {
		Header     msg.Header
		Detections []detection2D
	}
	detection3D struct {
		Header  msg.Header
		Results []hypothesis
		BBox    struct {
			Center msg.Pose
			Size   msg.Vector3
		}
		SourceCloud msg.PointCloud2
	}
	detections3D struct {
		Header     msg.Header
		Detections []detection3D
	}
	visionInfo struct {
		Header           msg.Header
		Method           string
		DatabaseLocation string
		DatabaseVersion  int32
	}
)

const (
	type2D = "vision_msgs/Detection2DArray"
	type3D = "vision_msgs/Detection3DArray"
)

// classes returns the names of the classes of detections in the order of their ids. It finds them where VisionInfo
// says, as a robot does.
func classes(r *rig) (names []string) {
	r.t.Helper()
	info := receive[visionInfo](r, "/cyan1/vision_info", "vision_msgs/VisionInfo")
	list, err := r.robot.GetParam(info.DatabaseLocation)
	if err != nil || info.Method == "" || info.DatabaseVersion < 1 {
		r.t.Fatalf("%+v: %v, %v", info, list, err)
	}
	for _, name := range list.([]any) {
		names = append(names, name.(string))
	}
	return names
}

// At features the boxes enclose the images of the ball, the goalkeeper and the posts.
func TestDetections2D(t *testing.T) {
	r := newRigWith(t, omnipitch.Options{NewRenderer: backend.RayCaster}, func(w *worlds.World) {
		for i := range w.Robots[0].Sensors {
			if s := &w.Robots[0].Sensors[i]; s.Vision != nil {
				s.Level, s.Vision.PixelNoise, s.Vision.MissRate, s.Vision.MaxRange = abstraction.Features, 0, 0, 20
			}
		}
		w.Obstacles = nil
	})
	names := classes(r)
	for _, sensor := range []string{"front", "omni"} {
		m := receive[detections2D](r, "/cyan1/"+sensor+"/detections", type2D)
		must.Equal(t, m.Header.FrameID, "cyan1/"+sensor+"_optical", "frame")
		camera, _ := r.sim.Sensors().Camera("cyan1", sensor)
		truth := r.sim.Truth()
		poseCW := truth.Robots[0].PoseWB.Mul(camera.PoseBC()).Inverse()
		project := func(p mgl64.Vec3) [2]float64 {
			u, v, ok := camera.Model().Project(poseCW.Apply(p))
			if !ok {
				t.Fatalf("%v is not imaged", p)
			}
			return [2]float64{u, v}
		}
		// around returns the bounding box of the images of points.
		around := func(points ...mgl64.Vec3) (u, v, width, height float64) {
			lo, hi := [2]float64{math.Inf(1), math.Inf(1)}, [2]float64{math.Inf(-1), math.Inf(-1)}
			for _, p := range points {
				for i, x := range project(p) {
					lo[i], hi[i] = min(lo[i], x), max(hi[i], x)
				}
			}
			return (lo[0] + hi[0]) / 2, (lo[1] + hi[1]) / 2, hi[0] - lo[0], hi[1] - lo[1]
		}
		var ball []mgl64.Vec3
		for i := range 64 { // great circles of a sphere in many directions
			for k := range 64 {
				sinA, cosA := math.Sincos(float64(i) * math.Pi / 32)
				sinB, cosB := math.Sincos(float64(k) * math.Pi / 64)
				ball = append(ball, truth.Ball.PosW.Add(mgl64.Vec3{cosA * sinB, sinA * sinB,
					cosB}.Mul(r.sim.World().Ball.Radius)))
			}
		}
		keeper := truth.Robots[1].PoseWB
		field := r.sim.World().Field
		post := mgl64.Vec3{field.Length/2 + field.PostWidth/2, field.GoalWidth/2 + field.PostWidth/2, 0}
		found := map[string]int{}
		for i := range m.Detections {
			d := &m.Detections[i]
			if len(d.Results) != 1 || !(d.Results[0].Score > 0) || !(d.Results[0].Score <= 1) ||
				d.Header.Stamp != m.Header.Stamp || d.Header.FrameID != m.Header.FrameID {
				t.Fatalf("%s: %+v", sensor, d)
			}
			name := names[d.Results[0].ID]
			found[name]++
			box := d.BBox
			what := fmt.Sprintf("%s %s", sensor, name)
			switch name {
			case "ball":
				u, v, width, height := around(ball...)
				must.Near(t, what+" u", box.Center.X, u, 1) // boxes have whole pixels
				must.Near(t, what+" v", box.Center.Y, v, 1)
				must.Near(t, what+" width", box.SizeX, max(width, height), 2)
				must.Near(t, what+" height", box.SizeY, max(width, height), 2)
			case "magenta_robot": // the detection is at the body's axis
				u, v, _, _ := around(keeper.Apply(mgl64.Vec3{0, 0, 0.6}))
				if !(math.Abs(u-box.Center.X) <= box.SizeX/2) || !(math.Abs(v-box.Center.Y) <= box.SizeY/2) {
					t.Errorf("%s: box %+v does not hold (%v, %v)", what, box, u, v)
				}
			case "goal_post":
				u, v, _, _ := around(post.Add(mgl64.Vec3{0, 0, field.GoalHeight / 2}))
				if math.Abs(u-box.Center.X) <= box.SizeX/2+1 && math.Abs(v-box.Center.Y) <= box.SizeY/2+1 {
					found["that post"]++
				}
			}
		}
		want := map[string]int{"ball": 1, "magenta_robot": 1, "magenta_card": 1, "that post": 1}
		if sensor == "omni" {
			want = map[string]int{"ball": 1}
		}
		for name, n := range want {
			if found[name] != n {
				t.Errorf("%s: found %v, want %v", sensor, found, want)
				break
			}
		}
	}
}

// At truth, detections have the true positions and sizes. At objects, the errors agree with the published covariances.
func TestDetections3D(t *testing.T) {
	r := newRig(t, func(w *worlds.World) {
		for i := range w.Robots[0].Sensors {
			if s := &w.Robots[0].Sensors[i]; s.Vision != nil {
				s.Vision.MaxRange, s.Vision.MissRate, s.Rate = 20, 0, 30
			}
		}
	})
	names := classes(r)
	truth := r.sim.Truth().Clone()
	inB := func(p mgl64.Vec3) mgl64.Vec3 { return truth.Robots[0].PoseWB.Inverse().Apply(p) }
	m := receive[detections3D](r, "/cyan1/omni/detections_3d", type3D)
	must.Equal(t, m.Header.FrameID, "cyan1/base_link", "frame")
	for _, c := range []struct {
		name string
		id   string
		foot mgl64.Vec3
		size mgl64.Vec3
	}{
		{"the ball", "ball", truth.Ball.PosW, mgl64.Vec3{0.22, 0.22, 0.22}},
		{"the goalkeeper", "magenta_robot", truth.Robots[1].PoseWB.Pos, bodySize(r, 1)},
		{"an obstacle", "obstacle", truth.Obstacles[0].PoseWO.Pos, obstacleSize(r, 0)},
	} {
		at := inB(c.foot)
		i := slices.IndexFunc(m.Detections, func(d detection3D) bool {
			p := d.Results[0].Pose.Pose.Position
			return names[d.Results[0].ID] == c.id && mgl64.Vec3{p.X, p.Y, p.Z}.Sub(at).Len() < 0.01
		})
		if i < 0 {
			t.Errorf("no %s at %v", c.id, at)
			continue
		}
		d := m.Detections[i]
		must.Near(t, c.name+" length", d.BBox.Size.X, c.size[0], 1e-6)
		must.Near(t, c.name+" width", d.BBox.Size.Y, c.size[1], 1e-6)
		must.Near(t, c.name+" height", d.BBox.Size.Z, c.size[2], 1e-6)
		above := c.size[2] / 2
		if c.id == "ball" {
			above = 0
		}
		must.Near(t, c.name+" middle", d.BBox.Center.Position.Z, at[2]+above, 0.01)
		for k, v := range d.Results[0].Pose.Covariance {
			if want := map[bool]float64{true: math.Pi * math.Pi / 3}[k == 21 || k == 28 ||
				k == 35]; !(math.Abs(v-want) <= 1e-12) {
				t.Errorf("%s: covariance[%d] = %v, want %v", c.name, k, v, want)
			}
		}
	}

	r.do(&action.SetLevel{Robot: "cyan1", Sensor: "omni", Level: abstraction.Objects})
	got := subscribe[detections3D](r, "/cyan1/omni/detections_3d", type3D)
	const n = 200
	ball := inB(truth.Ball.PosW)
	sum, seen, last := 0.0, 0, msg.Time{}
	for seen < n {
		r.until("the next frame", func() bool {
			m := got.newest()
			return m != nil && m.Header.Stamp != last
		})
		m := got.newest()
		last = m.Header.Stamp
		for _, d := range m.Detections {
			if names[d.Results[0].ID] != "ball" {
				continue
			}
			p, cov := d.Results[0].Pose.Pose.Position, d.Results[0].Pose.Covariance
			if !(cov[0] > 0) {
				continue // an older frame
			}
			e := mgl64.Vec2{p.X - ball[0], p.Y - ball[1]}
			plane := mgl64.Mat2{cov[0], cov[6], cov[1], cov[7]}
			sum, seen = sum+e.Dot(plane.Inv().Mul2x1(e)), seen+1
		}
	}
	// The squared Mahalanobis distance has a χ² distribution with two degrees of freedom: mean 2, variance 4.
	must.Near(t, "mean squared error in deviations", sum/n, 2, 5*2/math.Sqrt(n))
}

func bodySize(r *rig, robot int) mgl64.Vec3 {
	b := &r.sim.World().Robots[robot].Body
	if b.Boxed() {
		return mgl64.Vec3{b.Length, b.Width, b.Height}
	}
	return mgl64.Vec3{2 * b.Radius, 2 * b.Radius, b.Height}
}

func obstacleSize(r *rig, i int) mgl64.Vec3 {
	h := &r.sim.World().Obstacles[i].Hull
	return mgl64.Vec3{h.SizeX, h.SizeY, h.Height}
}

// The ground truth of all objects is published even without sensors.
func TestGroundTruthTopics(t *testing.T) {
	r := newRig(t, func(w *worlds.World) { w.Robots[0].Sensors, w.Ball.X = []sensors.Config{}, 2 })
	ball := receive[msg.Odometry](r, "/ground_truth/ball", "nav_msgs/Odometry")
	truth := r.sim.Truth()
	must.Near(t, "ball x", ball.Pose.Pose.Position.X, truth.Ball.PosW[0], 1e-3)
	must.Near(t, "ball z", ball.Pose.Pose.Position.Z, truth.Ball.PosW[2], 1e-3)
	must.Equal(t, ball.Header.FrameID, "map", "frame")
	all := receive[detections3D](r, "/ground_truth/detections_3d", type3D)
	var ids []string
	names := classes(r)
	for _, d := range all.Detections {
		ids = append(ids, names[d.Results[0].ID])
	}
	must.Equal(t, ids, []string{"ball", "cyan_robot", "magenta_robot", "obstacle", "obstacle"}, "ids")
}
