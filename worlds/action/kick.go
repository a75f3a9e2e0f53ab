package action

import (
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/omnipitch/omnipitch/physics"
)

// Kick has a robot kick the ball that it holds, or one that is within reach, in the next step alone.
type Kick struct {
	Robot        string        `toml:"robot" required:"true"`
	Way          string        `toml:"way" required:"true" oneof:"flat|lob|none" doc:"along the floor, through the air, or not at all"`
	Speed        float64       `toml:"speed_m_s" doc:"of the ball, when flat"`
	LobSpeed     float64       `toml:"lob_speed_m_s" doc:"of the ball in a lob; 0 aims at the goal"`
	LobElevation float64       `toml:"lob_elevation_deg" range:"[0, 90)" doc:"at which a lob leaves; 0 is the kicker's lob_angle_deg"`
	LobFlight    time.Duration `toml:"lob_flight_s" range:"[0, 10]" doc:"how long a lob takes to the goal line ahead, whichever team's: elevation and speed follow, and lob_speed_m_s, unless 0, is the most over the floor. 0: it leaves at its elevation"`
	Limit        float64       `toml:"limit_m_s" range:"[0, inf]" doc:"of a flat kick's speed"`
	Now          bool          `toml:"now" doc:"false does not kick"`
	Absolute     bool          `toml:"absolute" doc:"the ball gets the kick's velocity, whatever it had; false adds it to what the ball had"`
	Reach        float64       `toml:"reach_m" range:"[0, 2]" doc:"distance of the ball's centre from the robot's origin, on the floor, up to which the robot kicks a ball that it need not hold; 0: it must hold it"`
	ReachAngle   float64       `toml:"reach_angle_deg" range:"[0, 180]" doc:"to either side, up to which it does; 0 is any"`
}

// SetDefaults kicks at once, as fast as it says.
func (k *Kick) SetDefaults() { k.Limit, k.Now = math.Inf(1), true }

func (k *Kick) Validate(w World) error {
	if r, err := w.FindRobot(k.Robot); err == nil && r.Kicker == nil {
		return wrong("robot", k.Robot, errors.New("has no kicker"))
	}
	if err := aimless(k.Reach, k.ReachAngle); err != nil {
		return err
	}
	var c physics.Command
	if k.Change(&c); !(math.Abs(c.Kick.Speed) <= physics.MaxPlausible) {
		key, speed := "speed_m_s", k.Speed
		if k.Way == "lob" {
			key, speed = "lob_speed_m_s", k.LobSpeed
		}
		return wrong(key, speed, fmt.Errorf("must lie in [-%g, %[1]g]", physics.MaxPlausible))
	}
	return validate(k, w)
}

func (k *Kick) Do(s Simulation) error    { return do(k, s) }
func (k *Kick) Anytime() bool            { return true }
func (k *Kick) Commands() (robot string) { return k.Robot }

func (k *Kick) Change(c *physics.Command) bool {
	if !k.Now {
		return false
	}
	kick := physics.Kick{
		Elevation: k.LobElevation, Flight: k.LobFlight.Seconds(), Absolute: k.Absolute,
		Reach: physics.Reach{Distance: k.Reach, Angle: k.ReachAngle},
	}
	switch k.Way {
	case "flat":
		kick.Mode, kick.Speed = physics.FlatKick, min(max(k.Speed, 0), k.Limit)
	case "lob":
		kick.Mode, kick.Speed = physics.LobKick, k.LobSpeed
	default:
		return false
	}
	c.Kick = kick
	return true
}
