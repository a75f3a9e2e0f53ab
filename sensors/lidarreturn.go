package sensors

import (
	"github.com/omnipitch/omnipitch/abstraction/random"
	"github.com/omnipitch/omnipitch/render/beams"
)

// Constants of the detector of a laser scanner.
const (
	darkReflectance = 0.1  // of the surface to which Lidar.DarkRange and Laser.DarkRange refer
	signalNoise     = 0.25 // standard deviation of a signal, as a fraction of the weakest that is detected; a guess
)

// streamLidar is the stream of the random numbers of a lidar's returns.
const streamLidar uint16 = 0

// echo is what returns to the detector at one time: the light from surfaces that are close to each other.
type echo struct {
	energy   float64 // reflectance divided by the square of the distance, 1/m²
	distance float64 // mean, weighted by energy, m
	light    float64 // reflectance
}

// detected reports whether a detector notices an echo. The arguments are the echo's energy, the distance at which the
// detector notices half of the echoes of a dark surface, and the noise, as a fraction of the weakest energy that is
// detected.
func detected(energy, darkRange, noise float64) bool {
	weakest := darkReflectance / (darkRange * darkRange)
	return energy/weakest+noise >= 1
}

// measure returns the responses to a beam at level raw. The argument met holds what several rays of the beam meet.
func (l *lidar) measure(beam uint64, met []beams.Echo) (out [2]response) {
	var all [5]echo
	n := 0
	for i, e := range l.echoesOf(met, &all) {
		range1, signal := l.frame.Normal(random.Index(streamLidar, beam*uint64(len(all))+uint64(i)))
		e.distance = quantised(e.distance+range1*l.spec.Noise, l.spec.Step)
		if !detected(e.energy, l.spec.DarkRange, signal*signalNoise) || e.distance < l.spec.Min ||
			e.distance > l.spec.Max {
			continue
		}
		all[n] = e
		n++
	}
	if n == 0 {
		return out
	}
	strongest, last := 0, n-1
	for i := range n {
		if all[i].energy > all[strongest].energy {
			strongest = i
		}
	}
	switch {
	case l.spec.Returns == "last":
		out[0] = all[last].response()
	case l.spec.Returns == "strongest" || n == 1:
		out[0] = all[strongest].response()
	default:
		second := last
		if second == strongest { // Velodyne's manual: then the second strongest is reported
			second = 0
			for i := range last {
				if all[i].energy > all[second].energy {
					second = i
				}
			}
		}
		out = [2]response{all[strongest].response(), all[second].response()}
	}
	return out
}

func (e *echo) response() response {
	return response{float32(e.distance), float32(int(brightness(float32(e.light)) + 0.5))}
}

// echoesOf returns the echoes of a beam, nearest first. Each of the rays carries the same part of the beam's light.
func (l *lidar) echoesOf(met []beams.Echo, all *[5]echo) []echo {
	for i := 1; i < len(met); i++ {
		for k := i; k > 0 && met[k].Range < met[k-1].Range; k-- {
			met[k], met[k-1] = met[k-1], met[k]
		}
	}
	n, part, before := 0, 1/float64(len(met)), 0.0
	for i := range met {
		m := &met[i]
		if m.Body == beams.None || !(m.Reflectance > 0) {
			continue
		}
		r, light := float64(m.Range), part*float64(m.Reflectance)
		if n == 0 || r-before > l.spec.Separation {
			all[n] = echo{}
			n++
		}
		e, energy := &all[n-1], light/(r*r)
		e.distance = (e.distance*e.energy + r*energy) / (e.energy + energy)
		e.energy, e.light, before = e.energy+energy, e.light+light, r
	}
	return all[:n]
}
