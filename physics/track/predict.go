package track

import "math"

// rule is how a group's numbers are predicted from the row before, and from the columns before theirs in their own row.
// Products are rounded by conversions: a machine that fuses them with a sum must predict the same bits.
type rule uint8

const (
	whole  rule = iota // integers: as they were
	count              // one more
	clock              // a step later for each step more
	hold               // as they were
	turn               // rotation: turned by the angular velocity
	mean               // position: moved by the mean of old and new velocity
	move               // position: moved by the new velocity
	change             // accelerations: the change of velocity and of angular velocity
	roll               // wheel rates: those of wheels that roll without slip
	sum                // wheel angles: turned by the wheel's rate
)

func (r rule) integer() bool { return r <= clock }

// extrapolated tells whether the rule's errors change little from row to row, so that predictions are corrected by
// them.
func (r rule) extrapolated() bool { return r == hold || r == roll }

// predictWhole returns the prediction of an integer from the row before.
func (t *table) predictWhole(r rule, column int, was, is []uint64) uint64 {
	switch r {
	case count:
		return was[column] + 1
	case clock:
		return was[column] + (is[stepColumn]-was[stepColumn])*uint64(t.step)
	}
	return was[column]
}

func number(word uint64) float64 { return math.Float64frombits(word) }

// vector and rotation are structs because the compiler keeps those in registers, and arrays in memory.
type vector struct{ x, y, z float64 }

type rotation struct{ w, x, y, z float64 }

func vec(words []uint64) vector {
	words = words[:3]
	return vector{number(words[0]), number(words[1]), number(words[2])}
}

func quat(words []uint64) rotation {
	words = words[:4]
	return rotation{number(words[0]), number(words[1]), number(words[2]), number(words[3])}
}

// prediction is a group's numbers in a row.
type prediction [8]float64

// predict sets what a group's numbers are after a step, from the row before, was, and from the columns of is before the
// group's.
func (t *table) predict(g *group, was, is []uint64, dt float64, out *prediction) {
	body := was[g.body:]
	now := is[g.body:]
	switch g.rule {
	case hold:
		g.predictStill(was, out)
	case turn:
		q := turned(quat(body[rotColumn:]), vec(now[angColumn:]), dt)
		out[0], out[1], out[2], out[3] = q.w, q.x, q.y, q.z
	case mean:
		pos, v, w := vec(body[posColumn:]), vec(body[linColumn:]), vec(now[linColumn:])
		half := dt / 2
		out[0] = pos.x + float64((v.x+w.x)*half)
		out[1] = pos.y + float64((v.y+w.y)*half)
		out[2] = pos.z + float64((v.z+w.z)*half)
	case move:
		t.predictMove(g, body, now, dt, out)
	case change:
		perSecond := 1 / dt
		v, w := vec(body[linColumn:]), vec(now[linColumn:])
		out[0], out[1], out[2] = float64((w.x-v.x)*perSecond), float64((w.y-v.y)*perSecond),
			float64((w.z-v.z)*perSecond)
		v, w = vec(body[angColumn:]), vec(now[angColumn:])
		out[3], out[4], out[5] = float64((w.x-v.x)*perSecond), float64((w.y-v.y)*perSecond),
			float64((w.z-v.z)*perSecond)
	case roll:
		t.predictRoll(g, body, now, dt, out)
	case sum:
		angles, rates := body[wheelColumn:][:g.count], now[rateColumn:][:g.count]
		for i, a := range angles {
			out[i&7] = number(a) + float64(number(rates[i])*dt)
		}
	}
}

// predictStill sets what a group's numbers are in a row that is not a step later: as they were.
func (g *group) predictStill(was []uint64, out *prediction) {
	for i, w := range was[g.first:][:g.count] {
		out[i&7] = number(w)
	}
}

// predictMove predicts a position. Libode's bodies have their origins at the centre of mass, and a snapshot has them on
// the floor.
func (t *table) predictMove(g *group, body, now []uint64, dt float64, out *prediction) {
	pos, v, w := vec(body[posColumn:]), vec(now[linColumn:]), vec(now[angColumn:])
	k := &t.kinds[g.kind]
	if k.arc { // along the chord of the arc, whose end has the velocity v
		half := w.z * dt / 2
		sinc := smallSinc(half)
		c, s, chord := smallCos(half), float64(half*sinc), float64(dt*sinc)
		out[0] = pos.x + float64((float64(c*v.x)+float64(s*v.y))*chord)
		out[1] = pos.y + float64((float64(c*v.y)-float64(s*v.x))*chord)
		out[2] = pos.z
		return
	}
	before, after := up(quat(body[rotColumn:]), k.com), up(quat(now[rotColumn:]), k.com)
	v.x += float64(w.y*after.z) - float64(w.z*after.y)
	v.y += float64(w.z*after.x) - float64(w.x*after.z)
	v.z += float64(w.x*after.y) - float64(w.y*after.x)
	out[0] = pos.x + before.x + float64(dt*v.x) - after.x
	out[1] = pos.y + before.y + float64(dt*v.y) - after.y
	out[2] = pos.z + before.z + float64(dt*v.z) - after.z
}

// up returns a rotation's z axis, times a length.
func up(q rotation, length float64) vector {
	return vector{
		float64(2 * (float64(q.x*q.z) + float64(q.w*q.y)) * length),
		float64(2 * (float64(q.y*q.z) - float64(q.w*q.x)) * length),
		float64((1 - float64(2*q.x*q.x) - float64(2*q.y*q.y)) * length),
	}
}

// turned returns a rotation turned by an angular velocity for dt seconds, as libode does in its mode of finite
// rotations.
func turned(q rotation, v vector, dt float64) rotation {
	h := dt / 2
	angle := math.Sqrt(float64(v.x*v.x)+float64(v.y*v.y)+float64(v.z*v.z)) * h
	c, s := smallCos(angle), smallSinc(angle)*h
	x, y, z := v.x*s, v.y*s, v.z*s
	r := rotation{
		float64(c*q.w) - float64(x*q.x) - float64(y*q.y) - float64(z*q.z),
		float64(c*q.x) + float64(x*q.w) + float64(y*q.z) - float64(z*q.y),
		float64(c*q.y) + float64(y*q.w) + float64(z*q.x) - float64(x*q.z),
		float64(c*q.z) + float64(z*q.w) + float64(x*q.y) - float64(y*q.x),
	}
	n := 1 / math.Sqrt(float64(r.w*r.w)+float64(r.x*r.x)+float64(r.y*r.y)+float64(r.z*r.z))
	return rotation{float64(r.w * n), float64(r.x * n), float64(r.y * n), float64(r.z * n)}
}

// smallCos returns the cosine of an angle below 0.2 rad, nearly always to the last bit; of a large one it is wrong.
// Source: Taylor's series.
func smallCos(a float64) float64 {
	return 1 - alternating(a, 1./2, 1./24, 1./720, 1./40320, 1./3628800)
}

// smallSinc is like smallCos, of sin(a)/a.
func smallSinc(a float64) float64 {
	return 1 - alternating(a, 1./6, 1./120, 1./5040, 1./362880, 1./39916800)
}

// alternating returns c1·a² − c2·a⁴ + …
func alternating(a, c1, c2, c3, c4, c5 float64) float64 {
	x := float64(a * a)
	c4 -= float64(x * c5)
	c3 -= float64(x * c4)
	c2 -= float64(x * c3)
	c1 -= float64(x * c2)
	return float64(x * c1)
}

// predictRoll predicts wheel rates. Wheels on libode roll in the direction that they have half a step later than at its
// start.
func (t *table) predictRoll(g *group, body, now []uint64, dt float64, out *prediction) {
	k := &t.kinds[g.kind]
	v, omega := vec(now[linColumn:]), number(now[angColumn+2])
	from, turn := now, 0.0
	if !k.arc {
		from, turn = body, number(body[angColumn+2])*dt/2
	}
	q := quat(from[rotColumn:])
	cos := 1 - float64(2*(float64(q.y*q.y)+float64(q.z*q.z)))
	sin := 2 * (float64(q.x*q.y) + float64(q.w*q.z))
	c, s := smallCos(turn), float64(turn*smallSinc(turn))
	cos, sin = float64(cos*c)-float64(sin*s), float64(sin*c)+float64(cos*s)
	vx, vy := float64(cos*v.x)+float64(sin*v.y), float64(cos*v.y)-float64(sin*v.x)
	for i, w := range k.wheels {
		out[i&7] = float64(w.x*vx) + float64(w.y*vy) + float64(w.omega*omega)
	}
}
