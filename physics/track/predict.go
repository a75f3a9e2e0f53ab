package track

import "math"

// A coder goes through the words of one state after another. It turns words into residuals, which are their differences
// from predictions. If decode is true, it turns residuals into words. As both directions walk the columns in the same
// order, a prediction may use all columns before its own.
type coder struct {
	*shape
	decode             bool
	oldest, older, old []uint64 // the three preceding states
	now                []uint64
	residuals          []uint64 // of now
	dt                 float64  // seconds
	extrapolated       bool     // numbers can be extrapolated: old is one step later than older
}

// word codes one word. The prediction is an integer that the function ordered has returned.
func (c *coder) word(i int, predicted uint64) {
	if c.decode {
		c.now[i] = ordered(unzigzag(c.residuals[i]) + predicted)
	} else {
		c.residuals[i] = zigzag(ordered(c.now[i]) - predicted)
	}
}

// number codes one word with a predicted number.
func (c *coder) number(i int, predicted float64) { c.word(i, expected(predicted)) }

// hold codes words that are predicted to be the same as in the preceding state.
func (c *coder) hold(first, count int) {
	for i := first; i < first+count; i++ {
		c.word(i, ordered(c.old[i]))
	}
}

// extrapolate codes numbers that are predicted by the parabola through their last three values.
func (c *coder) extrapolate(first, count int) {
	if !c.extrapolated {
		c.hold(first, count)
		return
	}
	for i := first; i < first+count; i++ {
		x, y, z := number(c.old[i]), number(c.older[i]), number(c.oldest[i])
		change := x - y
		c.number(i, x+change+(change-(y-z)))
	}
}

// state codes one row.
func (c *coder) state() {
	c.hold(0, stateColumns)
	if c.now[stepColumn] == c.old[stepColumn] { // a body was placed: most numbers have not changed
		c.hold(stateColumns, len(c.now)-stateColumns)
		return
	}
	c.body(stateColumns)
	c.ball(stateColumns)
	at := stateColumns + bodyColumns
	for range c.robots {
		c.robot(at)
		at += robotColumns
	}
	for range c.obstacles {
		c.body(at)
		c.straight(at)
		at += bodyColumns
	}
	for range c.joints {
		c.extrapolate(at, 1)
		mean := (number(c.old[at]) + number(c.now[at])) / 2
		c.number(at+1, number(c.old[at+1])+float64(mean*c.dt))
		c.extrapolate(at+2, 1)
		at += jointColumns
	}
	c.hold(at, c.feet*footColumns)
}

// body codes the velocities and the rotation of a body. The argument is the body's first column. The caller codes the
// body's position.
func (c *coder) body(at int) {
	c.extrapolate(at+angColumn, 3)
	q := turned(quat(c.old[at+rotColumn:]), vec(c.now[at+angColumn:]), c.dt)
	for i, x := range q {
		c.number(at+rotColumn+i, x)
	}
	c.extrapolate(at+linColumn, 3)
}

// ball codes a position that moved with the mean of the old and the new velocity.
func (c *coder) ball(at int) {
	for i := range 3 {
		v, w := number(c.old[at+linColumn+i]), number(c.now[at+linColumn+i])
		c.number(at+posColumn+i, number(c.old[at+posColumn+i])+float64((v+w)*(c.dt/2)))
	}
}

// straight codes a position that moved with the new velocity.
func (c *coder) straight(at int) {
	for i := range 3 {
		c.number(at+posColumn+i, number(c.old[at+posColumn+i])+float64(number(c.now[at+linColumn+i])*c.dt))
	}
}

// arc codes a position that moved to the end of a circular arc. The new velocity is the velocity at the end of the arc.
func (c *coder) arc(at int) {
	pos, v, w := vec(c.old[at+posColumn:]), vec(c.now[at+linColumn:]), number(c.now[at+angColumn+2])
	half := w * c.dt / 2
	sinc := smallSinc(half)
	cos, sin, chord := smallCos(half), float64(half*sinc), float64(c.dt*sinc)
	c.number(at+posColumn, pos[0]+float64((float64(cos*v[0])+float64(sin*v[1]))*chord))
	c.number(at+posColumn+1, pos[1]+float64((float64(cos*v[1])-float64(sin*v[0]))*chord))
	c.number(at+posColumn+2, pos[2])
}

func (c *coder) robot(at int) {
	c.body(at)
	if c.arcs {
		c.arc(at)
	} else {
		c.straight(at)
	}
	for i := range 3 {
		c.derivative(at+accelColumn+i, at+linColumn+i)
	}
	for i := range 3 {
		c.derivative(at+angAccelColumn+i, at+angColumn+i)
	}
	c.extrapolate(at+rateColumn, wheelColumn-rateColumn)
	for i := at + wheelColumn; i < at+motorColumn; i++ { // angles follow from rates
		rate := number(c.now[i-wheelColumn+rateColumn])
		c.number(i, number(c.old[i])+float64(rate*c.dt))
	}
	c.extrapolate(at+motorColumn, kicksColumn-motorColumn)
	c.hold(at+kicksColumn, robotColumns-kicksColumn)
}

// derivative codes the number in column i. The prediction is the change per second of the number in column of.
func (c *coder) derivative(i, of int) {
	c.number(i, float64((number(c.now[of])-number(c.old[of]))*(1/c.dt)))
}

// ordered maps the bits of a float64 to an integer such that neighbouring numbers have neighbouring integers. It maps
// every bit pattern, and is its own inverse.
func ordered(word uint64) uint64 { return word ^ uint64(int64(word)>>63)>>1 }

// expected returns a predicted number as an integer of the function ordered. NaN is predicted as 0, because the bits of
// a computed NaN depend on the processor.
func expected(x float64) uint64 {
	if x != x {
		return 0
	}
	return ordered(math.Float64bits(x))
}

// zigzag maps differences of small magnitude to small numbers.
func zigzag(d uint64) uint64 { return d<<1 ^ uint64(int64(d)>>63) }

func unzigzag(u uint64) uint64 { return u>>1 ^ -(u & 1) }

func number(word uint64) float64 { return math.Float64frombits(word) }

func vec(words []uint64) [3]float64 {
	return [3]float64{number(words[0]), number(words[1]), number(words[2])}
}

// quat returns a rotation as w, x, y, z.
func quat(words []uint64) [4]float64 {
	return [4]float64{number(words[0]), number(words[1]), number(words[2]), number(words[3])}
}

// turned returns a rotation turned by an angular velocity for dt seconds, as libode does in its mode of finite
// rotations.
func turned(q [4]float64, v [3]float64, dt float64) [4]float64 {
	h := dt / 2
	angle := math.Sqrt(float64(v[0]*v[0])+float64(v[1]*v[1])+float64(v[2]*v[2])) * h
	c, s := smallCos(angle), smallSinc(angle)*h
	x, y, z := v[0]*s, v[1]*s, v[2]*s
	r := [4]float64{
		float64(c*q[0]) - float64(x*q[1]) - float64(y*q[2]) - float64(z*q[3]),
		float64(c*q[1]) + float64(x*q[0]) + float64(y*q[3]) - float64(z*q[2]),
		float64(c*q[2]) + float64(y*q[0]) + float64(z*q[1]) - float64(x*q[3]),
		float64(c*q[3]) + float64(z*q[0]) + float64(x*q[2]) - float64(y*q[1]),
	}
	n := 1 / math.Sqrt(float64(r[0]*r[0])+float64(r[1]*r[1])+float64(r[2]*r[2])+float64(r[3]*r[3]))
	return [4]float64{float64(r[0] * n), float64(r[1] * n), float64(r[2] * n), float64(r[3] * n)}
}

// smallCos returns the cosine of an angle below 0.2 rad, nearly always to the last bit. For larger angles it is wrong.
// Source: Taylor series.
func smallCos(a float64) float64 {
	return 1 - alternating(a, 1./2, 1./24, 1./720, 1./40320, 1./3628800)
}

// smallSinc is like smallCos, for sin(a)/a.
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
