package assess

import (
	"math"
	"slices"
	"time"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/sensors"
)

// WorstFrame is a frame with large errors.
type WorstFrame struct {
	Stamp   time.Duration
	PoseWB  spatial.Pose // the robot's true pose
	PoseBC  spatial.Pose // of the camera
	Samples []Sample     // of the frame
	Things  []Seen       // all things that existed
	badness float64
	seen    *sensors.Observation // retained; nil without an image
	camera  *sensors.Camera
}

// Seen is a thing that existed when a frame was taken. PosB is its position in the robot's frame.
type Seen struct {
	Kind    Kind
	Name    string
	PosB    mgl64.Vec3
	Radius  float64 // m
	Visible float64 // visible fraction
}

// mostWorst is the largest number of frames on the page. apart is the least difference between the stamps of two such
// frames, so that they show different moments.
const (
	mostWorst = 20
	apart     = 500 * time.Millisecond
)

// why is the reason for a frame to be among the worst.
type why uint8

const (
	selfOff why = iota
	ballOff
	obstacleOff
	missed
	whys
)

// worst keeps the worst frames for each reason.
type worst struct {
	kept [whys][]*WorstFrame // worst first
}

// perSort returns the number of frames kept for each reason. It is high enough for one reason to fill the page alone,
// unless the images are large.
func perSort(bytes int) int {
	const budget = 96 << 20 // of all images. A guess
	if bytes == 0 {
		return mostWorst
	}
	return max(5, min(mostWorst, budget/int(whys)/bytes))
}

// offer keeps a frame if it is among the worst.
func (w *worst) offer(a *Assessment, now *instant, samples []Sample) {
	var bad [whys]float64
	for i := range samples {
		s := &samples[i]
		sort, badness := obstacleOff, 0.0
		switch {
		case s.Outcome == Miss && !s.Counts:
			continue
		case s.Outcome == Miss:
			sort, badness = missed, 1/(0.5+s.Distance) // a missed thing is worse if it is nearer
		case s.Outcome == False:
			badness = a.cfg.Gate + 1/(0.5+s.Distance)
		default:
			badness = s.Off()
		}
		if sort != missed {
			switch s.Kind {
			case Self:
				sort = selfOff
			case Ball:
				sort = ballOff
			}
		}
		bad[sort] = math.Max(bad[sort], badness)
	}
	var frame *WorstFrame
	for sort, badness := range bad {
		if badness == 0 || !w.admits(why(sort), now.stamp, badness, perSort(now.size())) {
			continue
		}
		if frame == nil {
			frame = worstFrame(a, now, samples)
		}
		f := *frame
		f.badness = badness
		if f.seen != nil {
			f.seen.Retain()
		}
		w.keep(why(sort), &f, perSort(now.size()))
	}
}

func worstFrame(a *Assessment, now *instant, samples []Sample) *WorstFrame {
	f := &WorstFrame{Stamp: now.stamp, PoseWB: now.truth.Robots[a.robot].PoseWB, PoseBC: now.poseBC,
		Samples: slices.Clone(samples), seen: now.seen, camera: a.eye.camera}
	for i := range now.things {
		x := &now.things[i]
		f.Things = append(f.Things, Seen{x.kind, x.name, x.posB, x.radius, x.visible})
	}
	return f
}

// admits reports whether a frame is bad enough to be kept.
func (w *worst) admits(sort why, stamp time.Duration, badness float64, most int) bool {
	list := w.kept[sort]
	for _, f := range list {
		if near(f.Stamp, stamp) {
			return badness > f.badness
		}
	}
	return len(list) < most || badness > list[len(list)-1].badness
}

func near(a, b time.Duration) bool { return a-b < apart && b-a < apart }

// keep adds a frame to the worst frames for a reason. The new frame replaces kept frames that are close to it in time.
// If there are too many frames, the least bad frame is dropped.
func (w *worst) keep(sort why, f *WorstFrame, most int) {
	list := slices.DeleteFunc(w.kept[sort], func(o *WorstFrame) bool {
		if near(o.Stamp, f.Stamp) {
			o.release()
			return true
		}
		return false
	})
	i, _ := slices.BinarySearchFunc(list, f, func(o, f *WorstFrame) int {
		if o.badness > f.badness {
			return -1
		}
		return 1
	})
	list = slices.Insert(list, i, f)
	if len(list) > most {
		list[most].release()
		list = list[:most]
	}
	w.kept[sort] = list
}

func (f *WorstFrame) release() {
	if f.seen != nil {
		f.seen.Release()
		f.seen = nil
	}
}

// choose returns the frames for the page: the worst for each reason in turn, without duplicate moments.
func (w *worst) choose() (all []WorstFrame) {
	for rank := 0; len(all) < mostWorst; rank++ {
		any := false
		for sort := range w.kept {
			if rank >= len(w.kept[sort]) {
				continue
			}
			any = true
			f := w.kept[sort][rank]
			if len(all) < mostWorst && !slices.ContainsFunc(all,
				func(o WorstFrame) bool { return near(o.Stamp, f.Stamp) }) {
				all = append(all, *f)
				f.seen = nil // now owned by the result
			}
		}
		if !any {
			break
		}
	}
	for sort := range w.kept {
		for _, f := range w.kept[sort] {
			f.release()
		}
	}
	return all
}

// Close releases the images of the worst frames.
func (r *Result) Close() {
	for i := range r.Worst {
		r.Worst[i].release()
	}
}
