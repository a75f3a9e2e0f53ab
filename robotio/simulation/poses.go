package simulation

import (
	"context"
	"slices"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/robotio/msg"
	"github.com/omnipitch/omnipitch/worlds"
	"github.com/omnipitch/omnipitch/worlds/area"
)

// namedPose is a pose with its bounds, which are relative to the pose.
type namedPose struct {
	msg.NamedPose
	bounds msg.Bounds
}

// startSuffix is the end of the names of start poses, as in cyan1_start.
const startSuffix = "_start"

// namedPoses returns the centres of all areas, and the start poses of robots.
func namedPoses(w *worlds.World) (all []namedPose) {
	areas := w.AllAreas()
	for i := range areas {
		at, bounds := areaBounds(&areas[i])
		all = append(all, namedPose{msg.NamedPose{Name: areas[i].Name, Description: "centre of an area",
			Tags: []string{"area"}, Pose: poseMessage(spatial.Translation(at))}, bounds})
	}
	for i := range w.Robots {
		r := &w.Robots[i]
		if !r.Absent {
			all = append(all, namedPose{NamedPose: msg.NamedPose{Name: r.Name + startSuffix,
				Description: "start pose of a robot", Tags: []string{"start", string(r.Team)},
				Pose: poseMessage(r.Pose.Spatial())}})
		}
	}
	return all
}

const (
	circleCorners = 24
	// anyHeight is the height of the bounds of an area without limits of height, in metres. It is that of a hall, a
	// guess.
	anyHeight = 10
)

// areaBounds returns the centre of an area on the floor, in the world, and the bounds relative to it.
func areaBounds(a *area.Area) (centre mgl64.Vec3, bounds msg.Bounds) {
	border, z := a.Border(circleCorners), [2]float64{0, anyHeight}
	if a.Z != nil {
		z = *a.Z
	}
	low := mgl64.Vec3{border[0][0], border[0][1], z[0]}
	high := mgl64.Vec3{low[0], low[1], z[1]}
	for _, p := range border {
		for k, v := range p {
			low[k], high[k] = min(low[k], v), max(high[k], v)
		}
	}
	centre = mgl64.Vec3{(low[0] + high[0]) / 2, (low[1] + high[1]) / 2, 0}
	if a.Rectangle != nil {
		return centre, boxBounds(low.Sub(centre), high.Sub(centre))
	}
	bounds.Type = msg.BoundsConvexHull
	for _, p := range border {
		x, y := p[0]-centre[0], p[1]-centre[1]
		bounds.Points = append(bounds.Points, msg.Vector3{X: x, Y: y, Z: z[0]}, msg.Vector3{X: x, Y: y, Z: z[1]})
	}
	return centre, bounds
}

func (s *server) getPoses(_ context.Context, q *msg.GetNamedPosesRequest, resp *msg.GetNamedPosesResponse) error {
	tagged, err := tagFilter(&q.Tags)
	if err != nil {
		return err
	}
	for _, p := range namedPoses(s.sim.World()) {
		if tagged(p.Tags) {
			resp.Poses = append(resp.Poses, p.NamedPose)
		}
	}
	return nil
}

func (s *server) getPoseBounds(_ context.Context, q *msg.GetNamedPoseBoundsRequest, resp *msg.BoundsResponse) error {
	all := namedPoses(s.sim.World())
	i := slices.IndexFunc(all, func(p namedPose) bool { return p.Name == q.Name })
	if i < 0 {
		return failf(msg.ResultNotFound, "%.80q: there is no such named pose", q.Name)
	}
	resp.Bounds = all[i].bounds
	return nil
}
