package imaging

import (
	"math"
	"time"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/omnipitch/omnipitch/physics/keyframe"
	"github.com/omnipitch/omnipitch/render"
)

// AutoExposure configures a control loop for the amount of light that a camera collects, and for its gain. The loop
// meters the brightness of the scene at each frame. The camera's setting, in stops, follows the metered value as a
// first-order lag. The loop controls the iris and not the exposure time, so it does not change the motion blur. Neves
// et al., "Autonomous configuration of parameters in robotic digital cameras" (2009), describe a loop of this form,
// which uses the mean of the picture, for the omni cameras of an MSL team.
type AutoExposure struct {
	Target      float64       `toml:"target" range:"(0, 1]" doc:"target mean of the picture, in linear light; 1 is full exposure"`
	Settle      time.Duration `toml:"settle_ms" range:"[0, 60000]" doc:"time constant: after it 37 % of a change of light remains, in stops; 0 for none"`
	Delay       int           `toml:"delay_frames" range:"[1, 60]" doc:"from the metered frame to the first frame exposed accordingly"`
	MinExposure float64       `toml:"min_exposure" range:"(0, 64]" doc:"least exposure, in the unit of the imager's exposure"`
	MaxExposure float64       `toml:"max_exposure" range:"(0, 64]" doc:"largest exposure; beyond it the gain rises, with its noise"`
	MaxGain     float64       `toml:"max_gain" range:"[1, 64]" doc:"largest gain"`
}

// SetDefaults sets a target of 18 %, the reflectance of a photographer's grey card. The other values are guesses for an
// industrial camera.
func (a *AutoExposure) SetDefaults() {
	*a = AutoExposure{Target: 0.18, Settle: 300 * time.Millisecond, Delay: 2, MinExposure: 1.0 / 16, MaxExposure: 4,
		MaxGain: 8}
}

// Validate reports violations of the rule that involves two fields.
func (a *AutoExposure) Validate(violate func(field string, value any, rule string)) {
	if a.MinExposure > a.MaxExposure {
		violate("MaxExposure", a.MaxExposure, "must be at least {MinExposure}")
	}
}

// AutoWhiteBalance configures a control loop like that of AutoExposure, for the gains of red and blue.
type AutoWhiteBalance struct {
	Settle    time.Duration `toml:"settle_ms" range:"[0, 60000]" doc:"time constant: after it 37 % of a change of colour remains, in stops; 0 for none"`
	Delay     int           `toml:"delay_frames" range:"[1, 60]" doc:"from the metered frame to the first frame balanced accordingly"`
	GreyWorld float64       `toml:"grey_world" range:"[0, 1]" doc:"weight of the grey-world assumption: at 0 the colour of the light is known, at 1 a green carpet makes white lines magenta"`
	MaxStops  float64       `toml:"max_stops" range:"[0, 4]" doc:"largest gain of red and blue relative to green; the smallest is its inverse"`
}

// SetDefaults sets the default values, all of which are guesses. With them the loop makes a fifth of the correction
// that the grey-world assumption demands (Buchsbaum 1980).
func (a *AutoWhiteBalance) SetDefaults() {
	*a = AutoWhiteBalance{Settle: time.Second, Delay: 2, GreyWorld: 0.2, MaxStops: 2}
}

// Metered is the metered light of a scene, linear: red, green, blue.
type Metered struct {
	Mean  mgl32.Vec3 // mean radiance of the picture; lamps and windows count as black
	Light mgl32.Vec3 // mean irradiance of the surfaces in the picture
	White float64    // fraction of the picture that shows lamps and windows, which are white at any exposure
}

// Settings are a camera's settings of exposure, gain and white balance for a frame.
type Settings struct {
	Exposure, Gain float64    // as in Imager
	Balance        [3]float64 // gains of red, green and blue
}

// Exchange saves or restores the settings.
func (s *Settings) Exchange(c *keyframe.Codec) {
	c.FloatIn(&s.Exposure, 0, 1<<most)
	c.FloatIn(&s.Gain, 0, 1<<most)
	for i := range s.Balance {
		c.FloatIn(&s.Balance[i], 0, 1<<most)
	}
}

// Amplification returns exposure times gain.
func (s *Settings) Amplification() float64 { return s.Exposure * s.Gain }

// Set applies the settings to a chip.
func (s *Settings) Set(c *render.Chip) { c.Exposure, c.Gain, c.Balance = s.Exposure, s.Gain, s.Balance }

// Settings returns the settings of a camera without control loops.
func (i *Imager) Settings() Settings {
	return Settings{Exposure: i.Exposure, Gain: i.Gain, Balance: i.balance()}
}

// Automatic contains the control loops of one camera for exposure and white balance, with their state.
type Automatic struct {
	exposure *AutoExposure     // nil for the Imager's exposure
	balance  *AutoWhiteBalance // nil for the Imager's balance
	fixed    Settings
	stops    lag // amplification
	red      lag // gain of red relative to green, stops
	blue     lag
}

// NewAutomatic returns the control loops of a camera with the given imager and frame rate, in Hz. If exposure is nil,
// the imager sets a fixed exposure. If balance is nil, the imager sets a fixed white balance.
func NewAutomatic(imager *Imager, exposure *AutoExposure, balance *AutoWhiteBalance, rate float64) *Automatic {
	a := &Automatic{exposure: exposure, balance: balance, fixed: imager.Settings()}
	if exposure != nil {
		a.stops = newLag(exposure.Settle, exposure.Delay, rate)
	}
	if balance != nil {
		a.red, a.blue = newLag(balance.Settle, balance.Delay, rate), newLag(balance.Settle, balance.Delay, rate)
	}
	return a
}

// darkest is the minimum of metered light. It replaces smaller values, so that their logarithm is finite.
const darkest = 1e-6

// leastLeft is the minimum fraction of the target brightness that the loop aims at for the part of the picture without
// lamps and windows. Without this limit the loop would darken that part more and more as more windows come into view.
const leastLeft = 0.25

// Next advances the loops to the next frame, in which the light m was metered. At the first frame the loops start with
// the values to which they would settle in this light.
func (a *Automatic) Next(m Metered) {
	for c := range m.Mean {
		m.Mean[c], m.Light[c] = max(m.Mean[c], darkest), max(m.Light[c], darkest)
	}
	if e := a.exposure; e != nil {
		wanted := max(e.Target-m.White, e.Target*leastLeft) / render.Luminance(m.Mean)
		a.stops.next(math.Log2(max(e.MinExposure, min(e.MaxExposure*e.MaxGain, wanted))))
	}
	if b := a.balance; b != nil {
		against := func(color int) float64 {
			stops := b.GreyWorld*math.Log2(float64(m.Mean[1]/m.Mean[color])) +
				(1-b.GreyWorld)*math.Log2(float64(m.Light[1]/m.Light[color]))
			return max(-b.MaxStops, min(b.MaxStops, stops))
		}
		a.red.next(against(0))
		a.blue.next(against(2))
	}
}

// Settings returns the settings of the present frame.
func (a *Automatic) Settings() Settings {
	s := a.fixed
	if e := a.exposure; e != nil && a.stops.begun {
		amplification := math.Exp2(a.stops.value)
		s.Exposure = min(amplification, e.MaxExposure)
		s.Gain = amplification / s.Exposure
	}
	if a.balance != nil && a.red.begun {
		s.Balance = [3]float64{math.Exp2(a.red.value), a.fixed.Balance[1], math.Exp2(a.blue.value)}
	}
	return s
}

// Exchange saves or restores the state of the loops.
func (a *Automatic) Exchange(c *keyframe.Codec) {
	for _, l := range []*lag{&a.stops, &a.red, &a.blue} {
		l.exchange(c)
	}
}

// lag is a first-order lag with a delayed input.
type lag struct {
	share   float64 // fraction by which the difference from the input decreases per frame
	value   float64
	pending []float64 // delayed inputs, oldest first
	begun   bool
}

func newLag(constant time.Duration, delay int, rate float64) lag {
	share := 1.0
	if constant > 0 {
		share = -math.Expm1(-1 / (rate * constant.Seconds()))
	}
	return lag{share: share, pending: make([]float64, delay)}
}

// next advances the lag by one frame, whose input is wanted.
func (l *lag) next(wanted float64) {
	if !l.begun {
		l.begun, l.value = true, wanted
		for i := range l.pending {
			l.pending[i] = wanted
		}
		return
	}
	l.value += l.share * (l.pending[0] - l.value)
	copy(l.pending, l.pending[1:])
	l.pending[len(l.pending)-1] = wanted
}

// most is the maximum absolute value of a restored lag, in stops.
const most = 30

func (l *lag) exchange(c *keyframe.Codec) {
	c.Bool(&l.begun)
	c.FloatIn(&l.value, -most, most)
	for i := range l.pending {
		c.FloatIn(&l.pending[i], -most, most)
	}
}
