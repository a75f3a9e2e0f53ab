package calibration

import (
	"cmp"
	"math"
	"slices"

	"github.com/go-gl/mathgl/mgl64"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render/optics"
)

// A mark that is off by more than robustLimit medians counts by its distance instead of its square, after Huber: some
// marks are misplaced by hand. Each round weighs the marks by the errors of the one before.
const (
	robustLimit  = 6.0
	robustRounds = 3
)

// fitKind fits one kind of model. ok is false if it sees the marks elsewhere.
func fitKind(k *lensKind, marks []Mark, views, width, height int) (best MarkFit, ok bool) {
	var tried []*markProblem
	for _, f := range focalLengths {
		if p, ok := newMarkProblem(k, marks, views, width, height, f*float64(width)); ok {
			tried = append(tried, p)
		}
	}
	slices.SortStableFunc(tried, func(a, b *markProblem) int { return cmp.Compare(a.rms, b.rms) })
	var chosen *markProblem
	for _, p := range tried[:min(len(tried), 2)] { // the others start farther away
		p.improve()
		if chosen == nil || p.rms < chosen.rms {
			chosen = p
		}
	}
	if chosen == nil || !(chosen.rms < chosen.far()/4) {
		return best, false
	}
	for range robustRounds {
		chosen.weigh()
		chosen.improve()
	}
	return chosen.fit()
}

// markProblem is the search for the parameters of a kind of model and of the planes' poses.
type markProblem struct {
	*lensKind
	marks         []Mark
	width, height int
	square        bool           // whether pixels are taken to be square: the parameter aspect is left out
	before        []spatial.Pose // of the planes, at the start
	weight        []float64      // of the marks
	params        []float64      // of the model, and then six for each view
	lens          int            // number of parameters of the model
	rms           float64        // pixels, with the weights
}

// newMarkProblem returns the problem for a focal length in pixels to start with. ok is false if a camera with it cannot
// see the marks.
func newMarkProblem(k *lensKind, marks []Mark, views, width, height int, f float64) (p *markProblem, ok bool) {
	start := append([]float64{f * k.focus, 1, float64(width-1) / 2, float64(height-1) / 2}, k.more...)
	camera, err := k.build(width, height, start)
	if err != nil {
		return nil, false
	}
	p = &markProblem{lensKind: k, marks: marks, width: width, height: height, before: make([]spatial.Pose, views),
		weight: slices.Repeat([]float64{1}, len(marks))}
	for view := range p.before {
		if p.before[view], ok = planePose(camera, marks, view); !ok {
			return nil, false
		}
	}
	// In a single view, the plane's tilt hides the shape of the pixels, which are square in most chips.
	if p.square = views == 1; p.square {
		start = slices.Delete(start, aspect, aspect+1)
	}
	p.lens = len(start)
	p.params = append(start, make([]float64, 6*views)...)
	p.measure()
	return p, true
}

// camera returns the model with parameters.
func (p *markProblem) camera(params []float64) (optics.Model, error) {
	lens := params[:p.lens]
	if p.square {
		lens = slices.Insert(slices.Clone(lens), aspect, 1)
	}
	return p.build(p.width, p.height, lens)
}

// pose returns the pose of the plane in a view. Its parameters are a turn about the axes of the camera, as a rotation
// vector, and a shift.
func (p *markProblem) pose(params []float64, view int) spatial.Pose {
	v := params[p.lens+6*view:]
	by := p.before[view]
	by.Pos = by.Pos.Add(mgl64.Vec3{v[3], v[4], v[5]})
	turn := mgl64.Vec3{v[0], v[1], v[2]}
	if angle := turn.Len(); angle > 0 {
		by.Rot = mgl64.QuatRotate(angle, turn.Mul(1/angle)).Mul(by.Rot)
	}
	return by
}

// far is the error of a mark that a model cannot image, pixels.
func (p *markProblem) far() float64 { return 2 * float64(p.width) }

// errors computes the weighted errors of all marks in u and v.
func (p *markProblem) errors(params, out []float64) {
	camera, err := p.camera(params)
	far, poseCP := p.far(), p.before[0]
	for i := range p.marks {
		m := &p.marks[i]
		if i == 0 || m.View != p.marks[i-1].View {
			poseCP = p.pose(params, m.View)
		}
		out[2*i], out[2*i+1] = far, far
		if err != nil {
			continue
		}
		if u, v, ok := camera.Project(poseCP.Apply(mgl64.Vec3{m.X, m.Y, 0})); ok {
			out[2*i] = p.weight[i] * mgl64.Clamp(u-m.U, -far, far)
			out[2*i+1] = p.weight[i] * mgl64.Clamp(v-m.V, -far, far)
		}
	}
}

// measure returns the distances between the marks' pixels and the model's, and sets rms.
func (p *markProblem) measure() []float64 {
	left := make([]float64, 2*len(p.marks))
	p.errors(p.params, left)
	off := distances(left)
	p.rms = residualOf(off).RMS
	return off
}

func (p *markProblem) improve() {
	p.params = minimise(p.params, 2*len(p.marks), p.errors)
	p.measure()
}

// weigh sets the weights by the present errors, and returns these errors.
func (p *markProblem) weigh() []float64 {
	for i := range p.weight {
		p.weight[i] = 1
	}
	off := p.measure()
	limit := robustLimit * median(off)
	for i := range p.weight {
		if off[i] > limit {
			p.weight[i] = math.Sqrt(limit / off[i])
		}
	}
	return off
}

func median(of []float64) float64 {
	return stat.Quantile(0.5, stat.Empirical, slices.Sorted(slices.Values(of)), nil)
}

// fit returns the model. ok is false if its parameters are impossible.
func (p *markProblem) fit() (f MarkFit, ok bool) {
	off := p.weigh()
	f = MarkFit{Name: p.name, Residual: residualOf(off), Median: median(off), free: len(p.params)}
	for view := range p.before {
		f.PoseCP = append(f.PoseCP, p.pose(p.params, view))
	}
	var err error
	f.Camera, err = p.camera(p.params)
	return f, err == nil
}

// planePose returns the pose of the plane of a view's marks in the optical frame of a camera that is known roughly. ok
// is false if the marks are on one line, or if the camera cannot see them where they are.
func planePose(camera optics.Model, marks []Mark, view int) (poseCP spatial.Pose, ok bool) {
	// The point (x, y, 0) of the plane is seen along H·(x, y, 1) if the columns of H are the plane's axes and origin.
	// The cross product of this with the ray is 0.
	normal := mat.NewSymDense(9, nil)
	type seen struct{ dirC, planar mgl64.Vec3 }
	var all []seen
	for i := range marks {
		m := &marks[i]
		d, ok := camera.Unproject(m.U, m.V)
		if m.View != view || !ok {
			continue
		}
		at := mgl64.Vec3{m.X, m.Y, 1}
		all = append(all, seen{d, at})
		for _, row := range []mgl64.Vec3{{0, -d[2], d[1]}, {d[2], 0, -d[0]}, {-d[1], d[0], 0}} {
			equation := mat.NewVecDense(9, nil)
			for c := range 9 {
				equation.SetVec(c, row[c/3]*at[c%3])
			}
			normal.SymRankOne(normal, 1, equation)
		}
	}
	var eigen mat.EigenSym
	if len(all) < leastMarks || !eigen.Factorize(normal, true) {
		return poseCP, false
	}
	values := eigen.Values(nil)
	if !(values[1] > 1e-9*values[8]) {
		return poseCP, false
	}
	var vectors mat.Dense
	eigen.VectorsTo(&vectors)
	column := func(c int) mgl64.Vec3 { return mgl64.Vec3{vectors.At(c, 0), vectors.At(3+c, 0), vectors.At(6+c, 0)} }
	x, y, origin := column(0), column(1), column(2)
	scale := 2 / (x.Len() + y.Len())
	ahead := 0
	for _, s := range all {
		if x.Mul(s.planar[0]).Add(y.Mul(s.planar[1])).Add(origin).Dot(s.dirC) > 0 {
			ahead++
		}
	}
	if 2*ahead < len(all) {
		scale = -scale
	}
	x = x.Mul(scale).Normalize()
	y = y.Mul(scale)
	y = y.Sub(x.Mul(x.Dot(y))).Normalize()
	z := x.Cross(y)
	poseCP = spatial.Pose{Pos: origin.Mul(scale), Rot: mgl64.Mat4ToQuat(mgl64.Mat3FromCols(x, y, z).Mat4()).Normalize()}
	return poseCP, !math.IsNaN(poseCP.Pos.Len()) && !math.IsNaN(poseCP.Rot.Len())
}
