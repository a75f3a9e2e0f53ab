package sensors

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/abstraction/random"
	"github.com/omnipitch/omnipitch/physics/spatial"
)

// Microphone hears whistles in the hall, from all directions alike. Walls, boxes and robots do not block sound.
type Microphone struct {
	SampleRate    int           `toml:"sample_rate_hz" range:"[8000, 48000]" doc:"samples per second"`
	FullScale     float64       `toml:"full_scale_db" range:"[60, 180]" doc:"sound pressure level of the loudest sine wave that is not clipped, dB re 20 µPa"`
	SelfNoise     float64       `toml:"self_noise_db" range:"[0, 150]" doc:"sound pressure level of the microphone's own noise, dB; white"`
	HallNoise     float64       `toml:"hall_noise_db" range:"[0, 150]" doc:"sound pressure level of the noise in the hall, dB; it decreases by 6 dB per octave above 500 Hz"`
	Reverberation time.Duration `toml:"reverberation_s" range:"[0, 10]" doc:"time in which the echo in the hall decreases by 60 dB; 0: no echo"`
	Threshold     float64       `toml:"threshold_db" range:"[-40, 60]" doc:"at level objects: ratio of a whistle to the noise between 3.4 and 4.3 kHz from which half of the whistles are heard"`
	Spread        float64       `toml:"threshold_spread_db" range:"[0, 30]" doc:"standard deviation of that ratio"`
	Missed        float64       `toml:"missed" range:"[0, 1]" doc:"at level objects: fraction of the whistles that are not heard, however loud"`
	FalseAlarms   float64       `toml:"false_alarms_per_min" range:"[0, 600]" doc:"at level objects: whistles that are heard and were none; each lasts one observation"`
	Direction     float64       `toml:"direction_noise_deg" range:"[0, 180]" doc:"at level objects: standard deviation of azimuth and of elevation, as of an array of microphones"`
	Onset         time.Duration `toml:"onset_noise_ms" range:"[0, 1000]" doc:"at level objects: standard deviation of the time at which a whistle began"`
}

// SetDefaults sets an INMP441: 120 dB at full scale and 33 dB of noise (InvenSense, data sheet: −26 dBFS at 94 dB, and
// 61 dB of signal to noise there). Sixteen thousand samples per second are usual for speech. The other values are
// guesses: those of the hall are for a sports hall with spectators.
func (m *Microphone) SetDefaults() {
	*m = Microphone{
		SampleRate: 16000, FullScale: 120, SelfNoise: 33, HallNoise: 70, Reverberation: 1500 * time.Millisecond,
		Threshold: 6, Spread: 2, Missed: 0.02, FalseAlarms: 0.2, Direction: 10 * spatial.Degree,
		Onset: 20 * time.Millisecond,
	}
}

// Validate reports violations of the rule that involves two fields.
func (m *Microphone) Validate(violate func(field string, value any, rule string)) {
	if m.SelfNoise >= m.FullScale {
		violate("SelfNoise", m.SelfNoise, "must be smaller than {FullScale}")
	}
}

func (*Microphone) row() *kind {
	return &kind{levels: abstraction.Levels{abstraction.Raw, abstraction.Ideal, abstraction.Objects, abstraction.Truth},
		rate: 25, reading: SoundReading{}}
}

// SoundReading is what a microphone delivers: the samples since the frame before at levels raw and ideal, and the
// whistles that it hears during this time at levels objects and truth.
type SoundReading struct {
	SampleRate float64      `quantity:"sound.sample_rate"`
	Samples    []int16      `quantity:"sound.s16le"` // the last one is at the stamp
	Heard      []HeardSound `quantity:"heard"`       // earliest first
}

// HeardSound is a whistle that a microphone hears.
type HeardSound struct {
	Onset     time.Duration // sim time at which it began to be heard
	Direction mgl64.Vec3    // from the microphone to the whistle, a unit vector in the microphone's frame
	Level     float64       // mean sound pressure level, dB
}

// MarshalJSON writes the number and the level of the samples, or the whistles that are heard.
func (r *SoundReading) MarshalJSON() ([]byte, error) {
	type heardJSON struct {
		Onset     float64 `json:"onset_s"`
		Azimuth   float64 `json:"azimuth_deg"`
		Elevation float64 `json:"elevation_deg"`
		Level     float64 `json:"level_db"`
	}
	if r.Samples != nil {
		sum := 0.0
		for _, v := range r.Samples {
			sum += float64(v) * float64(v)
		}
		j := map[string]float64{"samples": float64(len(r.Samples))}
		if sum > 0 { // relative to the largest sine wave
			j["level_dbfs"] = 10 * math.Log10(2*sum/float64(len(r.Samples))/math.MaxInt16/math.MaxInt16)
		}
		return json.Marshal(j)
	}
	heard := []heardJSON{}
	for i := range r.Heard {
		h := &r.Heard[i]
		azimuth, elevation := bearing(h.Direction)
		heard = append(heard, heardJSON{h.Onset.Seconds(), azimuth / spatial.Degree, elevation / spatial.Degree,
			h.Level})
	}
	return json.Marshal(map[string]any{"heard": heard})
}

// AppendS16LE appends the samples as 16-bit integers, little-endian.
func (r *SoundReading) AppendS16LE(to []byte) []byte {
	to = slices.Grow(to, 2*len(r.Samples))
	for _, v := range r.Samples {
		to = binary.LittleEndian.AppendUint16(to, uint16(v))
	}
	return to
}

// scramble replaces the samples by noise, and hears nothing.
func (r *SoundReading) scramble(noise random.Source) {
	for i := range r.Samples {
		r.Samples[i] = int16(evenly(noise, uint64(i), math.MaxInt16))
	}
	r.Heard = r.Heard[:0]
}

// Streams of random numbers: for the noise of each sample, the tail of the echo, and the whistles that are heard.
const (
	streamSamples uint16 = iota
	streamTail
	streamHeard
	streamAlarm
)

type microphone struct {
	device
	poseBS   spatial.Pose
	room     room
	pressure []float64 // memory for the samples, Pa
}

func (m *Microphone) build(d device, site Site) (Sensor, error) {
	if site.Scene == nil {
		return nil, fmt.Errorf("sensor %s: kind = %q: needs a scene", d.cfg.Name, d.cfg.Kind)
	}
	x, y := site.Model.Field.Half()
	hall := &site.Scene.Room
	half := [2]float64{x + hall.Margin, y + hall.Margin}
	return &microphone{device: d, poseBS: d.cfg.Mount.Pose(),
		room: newRoom(half, hall.Height, m.Reverberation.Seconds(), d.noise)}, nil
}

func (m *microphone) Observe(at *Instant, obs *Observation) {
	reading := readingIn[SoundReading](obs)
	reading.SampleRate = float64(m.cfg.Microphone.SampleRate)
	reading.Samples, reading.Heard = reading.Samples[:0], reading.Heard[:0]
	if obs.Level == abstraction.Raw || obs.Level == abstraction.Ideal {
		m.sample(at, obs, reading)
		return
	}
	reading.Samples = nil
	m.hear(at, obs, reading)
	if obs.Level == abstraction.Objects {
		m.alarm(obs, reading)
	}
}

// count returns the number of samples up to the frame of an index, from the first frame on.
func (m *microphone) count(frame uint64) int64 {
	return int64(math.Round(float64(frame) * float64(m.cfg.Microphone.SampleRate) / m.cfg.Rate))
}

// sample sets the samples since the frame before.
func (m *microphone) sample(at *Instant, obs *Observation, reading *SoundReading) {
	spec := m.cfg.Microphone
	end := m.count(obs.Frame)
	n := end - m.count(obs.Frame-1)
	if obs.Frame == 0 {
		n = m.count(1)
	}
	if n <= 0 { // more than one frame for each sample
		return
	}
	m.pressure = slices.Grow(m.pressure[:0], int(n))[:n]
	clear(m.pressure)
	dt := 1 / float64(spec.SampleRate)
	b := block{begin: m.cfg.Phase.Seconds() + float64(end-n+1)*dt, dt: dt}
	b.from, b.to = m.path(at, b.begin, b.begin+dt*float64(n-1))
	for i := range at.Sounds {
		m.room.add(m.pressure, &b, &at.Sounds[i])
	}
	if obs.Level == abstraction.Raw {
		m.disturb(end - n)
	}
	scale := math.MaxInt16 / (math.Sqrt2 * pressure(spec.FullScale))
	reading.Samples = slices.Grow(reading.Samples, int(n))[:n]
	for i, p := range m.pressure {
		reading.Samples[i] = int16(math.Round(min(max(p*scale, -math.MaxInt16), math.MaxInt16)))
	}
}

// path returns where the microphone is at two sim times, s, if it has moved with its present velocity.
func (m *microphone) path(at *Instant, from, to float64) (a, b mgl64.Vec3) {
	r := at.State()
	arm := r.PoseWB.Rotate(m.poseBS.Pos)
	vel := r.TwistWBInW.Lin.Add(r.TwistWBInW.Ang.Cross(arm))
	pos, now := r.PoseWB.Pos.Add(arm), at.Snapshot.Time.Seconds()
	return pos.Add(vel.Mul(from - now)), pos.Add(vel.Mul(to - now))
}

// hallCorner is the frequency above which the noise of the hall decreases, Hz.
const hallCorner = 500

// disturb adds the noise of the hall and of the microphone to samples. The index of a sample counts from the first
// frame. The noise of the hall is a filter of first order of white noise, which begins long enough before the samples.
func (m *microphone) disturb(first int64) {
	const before = 96
	spec := m.cfg.Microphone
	keep := math.Exp(-2 * math.Pi * hallCorner / float64(spec.SampleRate))
	hall, self := pressure(spec.HallNoise)*math.Sqrt(1-keep*keep), pressure(spec.SelfNoise)
	noise, low := m.noise.Frame(0), 0.0
	for i := -before; i < len(m.pressure); i++ {
		x, y := noise.Normal(random.Index(streamSamples, uint64(first+int64(i))))
		low = keep*low + hall*x
		if i >= 0 {
			m.pressure[i] += low + self*y
		}
	}
}

// bandLow and bandHigh are the limits of the band in which whistles are detected, Hz.
const bandLow, bandHigh = 3400, 4300

// bandNoise returns the mean square of the noise in that band, Pa².
func (m *microphone) bandNoise() float64 {
	spec := m.cfg.Microphone
	rate := float64(spec.SampleRate)
	keep := math.Exp(-2 * math.Pi * hallCorner / rate)
	middle := (bandLow + bandHigh) / 2.0
	// spectral density of the filter at the middle of the band, relative to white noise of the same power
	density := (1 - keep*keep) / (1 - 2*keep*math.Cos(2*math.Pi*middle/rate) + keep*keep)
	hall, self := pressure(spec.HallNoise), pressure(spec.SelfNoise)
	return (hall*hall*density + self*self) * (bandHigh - bandLow) / (rate / 2)
}

// hear lists the whistles that are heard since the frame before.
func (m *microphone) hear(at *Instant, obs *Observation, reading *SoundReading) {
	poseWS := at.State().PoseWB.Mul(m.poseBS)
	now := at.Snapshot.Time
	since := now - time.Duration(float64(time.Second)/m.cfg.Rate)
	for i := range at.Sounds {
		s := &at.Sounds[i]
		toW := s.PosW.Sub(poseWS.Pos)
		onset := s.Start + time.Duration(toW.Len()/speedOfSound*float64(time.Second))
		if onset > now || onset+s.Length <= since {
			continue
		}
		power := m.room.power(s.PosW, poseWS.Pos) * math.Pow(pressure(s.Level), 2)
		h := HeardSound{Onset: onset, Level: 10 * math.Log10(power/math.Pow(pressure(0), 2))}
		azimuth, elevation := bearing(poseWS.Unrotate(toW))
		if obs.Level == abstraction.Objects && !m.detect(s, power, &h, &azimuth, &elevation) {
			continue
		}
		h.Direction = towards(azimuth, elevation)
		reading.Heard = append(reading.Heard, h)
	}
}

// detect reports whether a whistle with a mean square in Pa² is detected, and adds errors to what is heard. They are
// the same in all frames of a whistle.
func (m *microphone) detect(s *Sound, power float64, h *HeardSound, azimuth, elevation *float64) bool {
	spec, noise := m.cfg.Microphone, m.noise.Frame(0)
	spread, onset := noise.Normal(random.Index(streamHeard, 3*s.Number))
	x, y := noise.Normal(random.Index(streamHeard, 3*s.Number+1))
	if 10*math.Log10(power/m.bandNoise()) < spec.Threshold+spec.Spread*spread ||
		noise.Uniform(random.Index(streamHeard, 3*s.Number+2)) < spec.Missed {
		return false
	}
	*azimuth += spec.Direction * x
	*elevation = min(max(*elevation+spec.Direction*y, -math.Pi/2), math.Pi/2)
	h.Onset += time.Duration(onset * float64(spec.Onset))
	return true
}

// alarm adds a whistle that was none, from a random direction at the loudness at which half of the whistles are heard.
func (m *microphone) alarm(obs *Observation, reading *SoundReading) {
	spec, noise := m.cfg.Microphone, m.noise.Frame(obs.Frame)
	u := func(item uint64) float64 { return noise.Uniform(random.Index(streamAlarm, item)) }
	if u(0) >= spec.FalseAlarms/60/m.cfg.Rate {
		return
	}
	reading.Heard = append(reading.Heard, HeardSound{Onset: obs.Stamp,
		Direction: towards(2*math.Pi*u(1), math.Asin(2*u(2)-1)),
		Level:     10*math.Log10(m.bandNoise()/math.Pow(pressure(0), 2)) + spec.Threshold})
}
