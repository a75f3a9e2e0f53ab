package sensors

import (
	"fmt"
	"math"
	"math/cmplx"
	"testing"
	"time"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/testdata/must"
)

// ear is a microphone in a hall of 30 × 24 × 5 m, which collects what it hears.
type ear struct {
	Sensor
	now    physics.Snapshot
	sounds []Sound
}

func newEar(t testing.TB, seed uint64, change func(*Microphone)) *ear {
	t.Helper()
	cfg := &Config{Name: "ear", Kind: "microphone"}
	cfg.Complete()
	if change != nil {
		change(cfg.Microphone)
	}
	must.Do(t, cfg.Validate())
	model := &physics.Model{Field: physics.Field{Length: 18, Width: 12}}
	s := must.Get(New(cfg, Site{Robot: robot(), Seed: seed, Model: model,
		Scene: &render.Scene{Room: render.Room{Margin: 6, Height: 5}}}))(t)
	return &ear{Sensor: s, now: physics.Snapshot{Robots: []physics.RobotState{standing()}}}
}

// hear observes a number of frames, and returns all samples or whistles.
func (e *ear) hear(level abstraction.Level, frames int) (all SoundReading) {
	for k := range uint64(frames) {
		e.now.Time = e.Config().Due(k)
		r := read[SoundReading](e, level, k, &Instant{Snapshot: &e.now, Sounds: e.sounds})
		all.Samples, all.Heard = append(all.Samples, r.Samples...), append(all.Heard, r.Heard...)
	}
	return all
}

// rms returns the root mean square of samples, Pa, at a full scale of 120 dB.
func rms(samples []int16) float64 {
	sum := 0.0
	for _, v := range samples {
		sum += float64(v) * float64(v)
	}
	return math.Sqrt(sum/float64(len(samples))) / math.MaxInt16 * math.Sqrt2 * pressure(120)
}

// Without echo, the pressure decreases with the distance, and the whistle arrives as late as sound needs.
func TestWhistleInTheOpen(t *testing.T) {
	for _, distance := range []float64{2, 8.5} {
		e := newEar(t, 1, func(m *Microphone) { m.Reverberation = 0 })
		e.sounds = []Sound{{PosW: mgl64.Vec3{distance, 0, 0}, Start: 100 * time.Millisecond, Length: time.Second,
			Level: 110}}
		samples := e.hear(abstraction.Ideal, 50).Samples
		late := distance / 343.2 // the first sample is at −39.9 ms
		first := 0
		for samples[first] == 0 {
			first++
		}
		if got, want := float64(first-639)/16000, 0.1+late; !(math.Abs(got-want) <= 0.001) {
			t.Errorf("%v m: begins at %v s, want %v s", distance, got, want)
		}
		from := 639 + int(16000*(0.1+late+0.1))
		got, want := rms(samples[from:from+12800]), pressure(110)/distance
		if !(math.Abs(got/want-1) <= 0.01) { // 0.8 s are not whole periods of the beats
			t.Errorf("%v m: %v Pa, want %v Pa", distance, got, want)
		}
		must.Equal(t, len(samples), 50*640, "samples")
		if end := rms(samples[639+int(16000*(1.101+late)):]); end != 0 {
			t.Errorf("%v m: still %v Pa after its end", distance, end)
		}
	}
}

// power returns the mean square of samples at a frequency, in Pa², by the algorithm of Goertzel with a Hann window.
func powerAt(samples []int16, frequency float64) float64 {
	var sum complex128
	for i, v := range samples {
		window := 1 - math.Cos(2*math.Pi*float64(i)/float64(len(samples)))
		sum += complex(float64(v)*window, 0) * cmplx.Rect(1, -2*math.Pi*frequency*float64(i)/16000)
	}
	return math.Pow(cmplx.Abs(sum)*math.Sqrt2/float64(len(samples))/math.MaxInt16*math.Sqrt2*pressure(120), 2)
}

// The whistle has three tones of equal power between 3.5 and 4.2 kHz, and nothing elsewhere.
func TestSpectrumOfTheWhistle(t *testing.T) {
	e := newEar(t, 1, func(m *Microphone) { m.Reverberation = 0 })
	e.sounds = []Sound{{PosW: mgl64.Vec3{1, 0, 0}, Length: 2 * time.Second, Level: 110}}
	samples := e.hear(abstraction.Ideal, 50).Samples[8000:24000]
	total := math.Pow(pressure(110), 2)
	for f := 100.0; f < 8000; f += 10 {
		want := 0.0
		switch f {
		case 3610, 3790, 4050:
			want = 1. / 3
		default:
			if math.Abs(f-3610) < 20 || math.Abs(f-3790) < 20 || math.Abs(f-4050) < 20 {
				continue // the width of the window
			}
		}
		must.Near(t, fmt.Sprintf("%v Hz: share of the power", f), powerAt(samples, f)/total, want, 0.003)
	}
}

// In the hall, the mean power is that of direct sound, reflections and diffuse field, and it decreases by 60 dB in the
// reverberation time.
func TestEcho(t *testing.T) {
	const reverberation = 1.2
	var steady, later, expected float64
	for seed := range uint64(200) {
		e := newEar(t, seed, func(m *Microphone) { m.Reverberation = 1200 * time.Millisecond })
		// relative to the microphone, whose height is 0.9 m: on the floor, the sound and its image would add up
		place, above := mgl64.Vec3{7, 0.04 * float64(seed), 0.7}, mgl64.Vec3{0, 0, 0.9}
		e.now.Robots[0].PoseWB.Pos = above
		e.sounds = []Sound{{PosW: place.Add(above), Length: 2 * time.Second, Level: 110}}
		samples := e.hear(abstraction.Ideal, 66).Samples
		steady += math.Pow(rms(samples[639+24000:639+32000]), 2)
		later += math.Pow(rms(samples[639+35200:639+38400]), 2) // 0.2 to 0.4 s after its end
		area := 0.161 * 30 * 24 * 5 / reverberation
		surface := 2 * (30*24 + 30*5 + 24*5.)
		echo := 0.0
		for _, image := range []mgl64.Vec3{{30 - place[0], place[1], place[2]}, {-30 - place[0], place[1], place[2]},
			{place[0], 24 - place[1], place[2]}, {place[0], -24 - place[1], place[2]},
			{place[0], place[1], -1.8 - place[2]}, {place[0], place[1], 8.2 - place[2]}} {
			echo += (1 - area/surface) / image.LenSqr()
		}
		diffuse := 16 * math.Pi / area * math.Pow(10, -6*math.Sqrt(30*24*5)/1000/reverberation)
		expected += math.Pow(pressure(110), 2) * (1/place.LenSqr() + echo + diffuse)
	}
	if got := steady / expected; !(math.Abs(got-1) <= 0.1) { // 600 tones, each with exponentially distributed power
		t.Errorf("the power is %v of the expected one", got)
	}
	decay := reverberation / 6 * math.Log10(math.E)
	// the tail begins √V ms after the sound
	mixed := math.Sqrt(30*24*5) / 1000
	want := decay / 0.2 * (math.Exp(-(0.2-mixed)/decay) - math.Exp(-(0.4-mixed)/decay))
	area := 0.161 * 30 * 24 * 5 / reverberation
	want *= 200 * math.Pow(pressure(110), 2) * 16 * math.Pi / area * math.Exp(-mixed/decay)
	if got := later / want; !(math.Abs(got-1) <= 0.3) {
		t.Errorf("0.2 to 0.4 s after the end, the power is %v of the expected one", got)
	}
}

// A microphone that drives towards the whistle hears it higher, and without clicks between frames.
func TestDopplerShift(t *testing.T) {
	e := newEar(t, 1, func(m *Microphone) { m.Reverberation = 0 })
	e.sounds = []Sound{{PosW: mgl64.Vec3{60, 0, 0}, Length: 3 * time.Second, Level: 130}}
	var samples []int16
	r := &e.now.Robots[0]
	r.TwistWBInW.Lin[0] = 5
	for k := range uint64(50) {
		e.now.Time = e.Config().Due(k)
		r.PoseWB = spatial.Planar(5*e.now.Time.Seconds(), 0, 0)
		at := &Instant{Snapshot: &e.now, Sounds: e.sounds}
		samples = append(samples, read[SoundReading](e, abstraction.Ideal, k, at).Samples...)
	}
	part := samples[8000:24000]
	best, most := 0.0, 0.0
	for f := 3750.0; f < 3900; f++ {
		if p := powerAt(part, f); p > most {
			best, most = f, p
		}
	}
	if want := 3790 * (1 + 5/343.2); !(math.Abs(best-want) <= 1) {
		t.Errorf("the tone is at %v Hz, want %v Hz", best, want)
	}
	if p := powerAt(part, 2000) / most; !(p < 1e-6) {
		t.Errorf("clicks have %v of its power", p)
	}
}

// inBand returns the mean square of samples between 3.4 and 4.3 kHz, Pa².
func inBand(samples []int16) (sum float64) {
	n := len(samples)
	for k := (bandLow*n + 15999) / 16000; k*16000 < bandHigh*n; k++ {
		var z complex128
		for i, v := range samples {
			z += complex(float64(v), 0) * cmplx.Rect(1, -2*math.Pi*float64(k*i%n)/float64(n))
		}
		sum += 2 * math.Pow(cmplx.Abs(z)/float64(n)/math.MaxInt16*math.Sqrt2*pressure(120), 2)
	}
	return sum
}

// A detector of the energy in the band of whistles decides at level raw as level objects does: it hears the same
// whistles, apart from those within three standard deviations of the threshold, and those that objects misses.
func TestDetectionAgreesWithRaw(t *testing.T) {
	agree, total := 0, 0
	for seed := range uint64(4) {
		for level := 20.0; level <= 100; level += 2 {
			e := newEar(t, seed, func(m *Microphone) { m.Missed, m.FalseAlarms, m.HallNoise, m.Spread = 0, 0, 85, 0.5 })
			m := e.Sensor.(*microphone)
			s := Sound{PosW: mgl64.Vec3{9, -5, 1.6}, Length: 900 * time.Millisecond, Level: level,
				Number: uint64(level)}
			e.sounds = []Sound{s}
			ratio := 10 * math.Log10(m.room.power(s.PosW, mgl64.Vec3{})*math.Pow(pressure(level), 2)/m.bandNoise())
			if math.Abs(ratio-6) < 4 { // the tail of the echo fades at each place differently
				continue
			}
			objects := len(e.hear(abstraction.Objects, 20).Heard) > 0
			samples := e.hear(abstraction.Raw, 20).Samples
			raw := inBand(samples[639+8000:639+11200])/m.bandNoise()-1 > math.Pow(10, 0.6)
			if total++; raw == objects {
				agree++
			}
			if objects != (ratio > 6) {
				t.Errorf("%v dB over the noise: heard %v", ratio, objects)
			}
		}
	}
	if total < 100 || agree < total*98/100 {
		t.Errorf("%d of %d whistles have the same result at raw as at objects, want 98 %%", agree, total)
	}
}

// The errors of level objects have their configured statistics. Level truth has none.
func TestHeardWhistles(t *testing.T) {
	const n = 4000
	var azimuths, elevations, onsets []float64
	e := newEar(t, 3, func(m *Microphone) { m.FalseAlarms = 0 })
	direction := mgl64.Vec3{6, 8, 0}
	for k := range uint64(n) {
		e.sounds = []Sound{{PosW: direction, Length: 300 * time.Millisecond, Level: 110, Number: k}}
		heard := e.hear(abstraction.Objects, 3).Heard // one frame before the sound arrives, two with it
		if len(heard) == 0 {
			continue
		}
		if len(heard) != 2 || heard[0] != heard[1] {
			t.Fatalf("got %+v, want the same in both frames", heard)
		}
		azimuth, elevation := bearing(heard[0].Direction)
		azimuths = append(azimuths, spatial.WrapAngle(azimuth-math.Atan2(8, 6)))
		elevations, onsets = append(elevations, elevation), append(onsets, heard[0].Onset.Seconds()-10/343.2)
	}
	missed := 1 - float64(len(onsets))/n
	must.Near(t, "share of missed", missed, 0.02, 5*math.Sqrt(0.02*0.98/n))
	checkErrors(t, "azimuth", azimuths, math.Pow(10*spatial.Degree, 2))
	checkErrors(t, "elevation", elevations, math.Pow(10*spatial.Degree, 2))
	checkErrors(t, "onset", onsets, 0.02*0.02)
	exact := e.hear(abstraction.Truth, 3).Heard
	if len(exact) != 2 || !(exact[0].Direction.Sub(mgl64.Vec3{0.6, 0.8, 0}).Len() <= 1e-9) {
		t.Errorf("truth: got %+v, want direction (0.6, 0.8, 0)", exact)
	}
	e = newEar(t, 3, func(m *Microphone) { m.FalseAlarms = 60 })
	if got := len(e.hear(abstraction.Objects, 25*400).Heard); !(math.Abs(float64(got)-400) <= 100) {
		t.Errorf("%d false alarms in 400 s, want about 400", got)
	}
}

// The noise has the configured levels.
func TestNoiseOfTheHall(t *testing.T) {
	e := newEar(t, 5, func(m *Microphone) { m.HallNoise, m.SelfNoise = 80, 60 })
	samples := e.hear(abstraction.Raw, 100).Samples
	want := math.Hypot(pressure(80), pressure(60))
	if got := rms(samples); !(math.Abs(got/want-1) <= 0.05) {
		t.Errorf("%v Pa, want %v Pa", got, want)
	}
	band, n := 0.0, 0
	for i := 0; i+3200 <= len(samples); i += 3200 {
		band += inBand(samples[i : i+3200])
		n++
	}
	if got, want := band/float64(n), e.Sensor.(*microphone).bandNoise(); !(math.Abs(got/want-1) <= 0.1) {
		t.Errorf("between 3.4 and 4.3 kHz: %v Pa², want %v Pa²", got, want)
	}
}

// BenchmarkMicrophone measures a second of raw sound, with a whistle and its echo.
func BenchmarkMicrophone(b *testing.B) {
	for _, c := range []struct {
		name   string
		sounds []Sound
	}{{"quiet", nil}, {"whistle", []Sound{{PosW: mgl64.Vec3{5, 3, 1.6}, Length: time.Hour, Level: 110}}}} {
		b.Run(c.name, func(b *testing.B) {
			e := newEar(b, 1, nil)
			at, obs := &Instant{Snapshot: &e.now, Sounds: c.sounds}, &Observation{Level: abstraction.Raw}
			b.ReportAllocs()
			for b.Loop() {
				for range 25 {
					obs.Frame++
					e.now.Time = e.Config().Due(obs.Frame)
					e.Observe(at, obs)
				}
			}
		})
	}
}
