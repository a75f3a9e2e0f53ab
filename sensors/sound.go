package sensors

import (
	"math"
	"sort"
	"time"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/abstraction/random"
	"github.com/omnipitch/omnipitch/physics/spatial"
)

// Sound is a whistle at a fixed place.
type Sound struct {
	PosW   mgl64.Vec3
	Start  time.Duration // sim time
	Length time.Duration
	Level  float64 // sound pressure level at a distance of 1 m in the open, dB re 20 µPa
	Number uint64  // of the sound in this run, from 0
}

// speedOfSound is that of air at 20 °C, m/s.
const speedOfSound = 343.2

// SoundLimit is the longest time, from the end of a sound, after which no microphone receives its echo. It is the
// longest reverberation and the way through the largest world.
const SoundLimit = 12 * time.Second

// tones are the frequencies of a whistle, Hz. A whistle without a pea, such as a Fox 40, has three chambers, whose
// tones beat. The frequencies are guesses in the band from 3.5 to 4.2 kHz. Detectors of robots look for
// whistles from 2 to 4 kHz: rUNSWift's whistle_detector; Poore et al., "Single- and multi-channel whistle recognition
// with NAO robots", RoboCup 2014.
var tones = [...]float64{3610, 3790, 4050}

// ramp is how long a whistle takes to begin and to end, s. It is a guess.
const ramp = 0.02

// envelope returns the amplitude of a sound at a time after its start, s: 0 to 1.
func envelope(t, length float64) float64 {
	edge := min(t, length-t)
	switch {
	case edge <= 0:
		return 0
	case edge >= ramp:
		return 1
	}
	return (1 - math.Cos(math.Pi*edge/ramp)) / 2
}

// pressure returns the root mean square of a sound pressure level in dB, Pa.
func pressure(level float64) float64 { return 20e-6 * math.Pow(10, level/20) }

// room is the hall as it sounds: a cuboid whose surfaces reflect all frequencies alike.
//
// The direct sound and the six reflections at one surface are those of image sources (Allen and Berkley, "Image method
// for efficiently simulating small-room acoustics", JASA 1979). The other reflections are a tail of random ones, equal
// everywhere in the hall, that decays by 60 dB in the reverberation time. It begins when the reflections of a hall of
// this volume are mixed, √V ms after the sound (Polack, "Playing billiards in the concert hall", 1993). Its power is
// that of the diffuse field by Sabine: 16π/A of the direct sound at 1 m, where A is the absorbing area.
type room struct {
	half       [2]float64 // half its sizes along x and y, m
	height     float64
	reflection float64 // pressure of a reflection, as a fraction of the incident pressure
	diffuse    float64 // power of the tail, as a fraction of the direct sound's power at 1 m
	taps       []tap   // the tail; nil without reverberation
}

// tap is a reflection of the tail. The sums are those of the phasors of all taps up to this one, for each tone.
type tap struct {
	delay float64 // s
	sums  [len(tones)]complex128
}

// tailTaps is the number of reflections in the tail: more than 500 per second at a reverberation time of 2 s, which is
// dense enough for tones.
const tailTaps = 1024

// newRoom returns the hall with a reverberation time in s. At 0, nothing reflects.
func newRoom(half [2]float64, height, reverberation float64, noise random.Source) room {
	r := room{half: half, height: height}
	if !(reverberation > 0 && half[0] > 0 && half[1] > 0 && height > 0) {
		return r
	}
	x, y := 2*half[0], 2*half[1]
	volume, surface := x*y*height, 2*(x*y+x*height+y*height)
	area := 0.161 * volume / reverberation // Sabine; 0.161 s/m
	r.reflection = math.Sqrt(max(1-area/surface, 0))
	mixed := math.Sqrt(volume) / 1000
	decay := 3 * math.Ln10 / reverberation // of the pressure, 1/s
	r.diffuse = 16 * math.Pi / area * math.Exp(-2*decay*mixed)
	r.taps = make([]tap, tailTaps)
	gains, power := make([]float64, tailTaps), 0.0
	for k := range r.taps {
		after := reverberation * (float64(k) + noise.Uniform(random.Index(streamTail, uint64(2*k)))) / tailTaps
		r.taps[k].delay, gains[k] = mixed+after, math.Exp(-decay*after)
		power += gains[k] * gains[k]
		if noise.Uniform(random.Index(streamTail, uint64(2*k+1))) < 0.5 {
			gains[k] = -gains[k]
		}
	}
	var sums [len(tones)]complex128
	for k := range r.taps {
		for i, f := range tones {
			sums[i] += unit(-2*math.Pi*f*r.taps[k].delay) * complex(gains[k]*math.Sqrt(r.diffuse/power), 0)
		}
		r.taps[k].sums = sums
	}
	return r
}

// unit returns the complex number of absolute value 1 with an angle in rad.
func unit(angle float64) complex128 {
	sin, cos := math.Sincos(angle)
	return complex(cos, sin)
}

// images returns a sound's place and its mirror images in the surfaces of the hall.
func (r *room) images(p mgl64.Vec3) (all [7]mgl64.Vec3, n int) {
	all[0] = p
	if r.reflection == 0 {
		return all, 1
	}
	for axis, low := range [...]float64{-r.half[0], -r.half[1], 0} {
		high := r.height
		if axis < 2 {
			high = r.half[axis]
		}
		all[1+2*axis], all[2+2*axis] = p, p
		all[1+2*axis][axis], all[2+2*axis][axis] = 2*low-p[axis], 2*high-p[axis]
	}
	return all, len(all)
}

// power returns the mean square of a sound at a place, as a fraction of the direct sound's at 1 m.
func (r *room) power(source, at mgl64.Vec3) float64 {
	images, n := r.images(source)
	total := r.diffuse
	for i := range n {
		gain := 1 / r.distance(&images[i], at)
		if i > 0 {
			gain *= r.reflection
		}
		total += gain * gain
	}
	return total
}

// nearest is the least distance from a sound, m: nearer, its source is not a point. It is a guess.
const nearest = 0.1

func (*room) distance(image *mgl64.Vec3, at mgl64.Vec3) float64 {
	return max(image.Sub(at).Len(), nearest)
}

// block is a stretch of samples: n of them, one every dt s, of which the first is at the sim time begin, s. The
// microphone moves evenly from the place from to the place to.
type block struct {
	begin, dt float64
	from, to  mgl64.Vec3
}

// add adds the pressure of a sound to samples, Pa.
func (r *room) add(samples []float64, b *block, s *Sound) {
	begin, length := b.begin-s.Start.Seconds(), s.Length.Seconds()
	amplitude := pressure(s.Level) * math.Sqrt(2./float64(len(tones)))
	images, n := r.images(s.PosW)
	for i := range n {
		gain := amplitude
		if i > 0 {
			gain *= r.reflection
		}
		first, last := r.distance(&images[i], b.from), r.distance(&images[i], b.to)
		tau, end := begin-first/speedOfSound, begin+b.dt*float64(len(samples)-1)-last/speedOfSound
		if end <= 0 || tau >= length {
			continue
		}
		steps := float64(max(len(samples)-1, 1))
		addTones(samples, tau, (end-tau)/steps, length, gain/first, gain*(1/last-1/first)/steps)
	}
	if r.taps != nil {
		r.addTail(samples, begin, b.dt, length, amplitude)
	}
}

// addTones adds the direct sound, or an image's. The first sample is at the time tau of the sound, the others follow at
// the distance step. The gain changes by rise at each sample.
func addTones(samples []float64, tau, step, length, gain, rise float64) {
	var phasors, turns [len(tones)]complex128
	for i, f := range tones {
		phasors[i], turns[i] = unit(2*math.Pi*f*tau), unit(2*math.Pi*f*step)
	}
	for k := range samples {
		sum := 0.0
		for i := range phasors {
			sum += imag(phasors[i])
			phasors[i] *= turns[i]
		}
		samples[k] += sum * gain * envelope(tau, length)
		tau += step
		gain += rise
	}
}

// addTail adds the tail. Each tap begins and ends with the sound, so that its sum over the taps that sound is the
// difference of two sums.
func (r *room) addTail(samples []float64, tau, dt, length, amplitude float64) {
	last := r.taps[len(r.taps)-1].delay
	if tau+dt*float64(len(samples)) <= r.taps[0].delay || tau-length >= last {
		return
	}
	var phasors, turns [len(tones)]complex128
	for i, f := range tones {
		phasors[i], turns[i] = unit(2*math.Pi*f*tau), unit(2*math.Pi*f*dt)
	}
	begun, ended := r.before(tau), r.before(tau-length)
	for k := range samples {
		for begun < len(r.taps) && r.taps[begun].delay <= tau {
			begun++
		}
		for ended < len(r.taps) && r.taps[ended].delay <= tau-length {
			ended++
		}
		sum := 0.0
		for i := range phasors {
			var gain complex128
			if begun > 0 {
				gain = r.taps[begun-1].sums[i]
			}
			if ended > 0 {
				gain -= r.taps[ended-1].sums[i]
			}
			sum += imag(phasors[i] * gain)
			phasors[i] *= turns[i]
		}
		samples[k] += sum * amplitude
		tau += dt
	}
}

// before returns the number of taps whose delay is at most t.
func (r *room) before(t float64) int {
	return sort.Search(len(r.taps), func(k int) bool { return r.taps[k].delay > t })
}

// bearing returns the azimuth and the elevation of a direction, rad.
func bearing(d mgl64.Vec3) (azimuth, elevation float64) {
	return math.Atan2(d[1], d[0]), math.Atan2(d[2], math.Hypot(d[0], d[1]))
}

// towards returns the direction with an azimuth and an elevation.
func towards(azimuth, elevation float64) mgl64.Vec3 {
	sin, cos := math.Sincos(elevation)
	y, x := math.Sincos(spatial.WrapAngle(azimuth))
	return mgl64.Vec3{cos * x, cos * y, sin}
}
