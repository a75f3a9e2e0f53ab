package action

import (
	"reflect"
	"time"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/rules"
	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/sensors"
	"github.com/omnipitch/omnipitch/timesync"
	"github.com/omnipitch/omnipitch/worlds/coach"
	"github.com/omnipitch/omnipitch/worlds/player"
	"github.com/omnipitch/omnipitch/worlds/schema"
)

// Action is something that a user can make happen in a running world.
type Action interface {
	// Validate runs before the simulation. For each field that names something the world does not have, it reports a
	// schema.Violation with that field's key.
	Validate(w World) error
	// Do carries the action out. If the simulation does not have what the action names, Do fails and changes nothing.
	// The action must satisfy the rules in its fields' tags, which Check checks.
	Do(s Simulation) error
}

// Command is an action that sets a part of a robot's command. Commands that are given together take effect in the same
// step.
type Command interface {
	Action
	// Commands returns the name of the robot whose command the action changes.
	Commands() string
	// Change changes the robot's command. It returns true if it changed anything.
	Change(c *physics.Command) bool
}

// AsCommand returns the action as a Command. The result is false if the action is not a Command. A Drive for a limited
// time is not a Command.
func AsCommand(a Action) (Command, bool) {
	if d, ok := a.(*Drive); ok && d.For > 0 {
		return nil, false
	}
	c, ok := a.(Command)
	return c, ok
}

// Anytime reports whether any goroutine may carry out an action at any time. If it returns false, only the goroutine
// that steps may do so. It returns false for actions that are not in Choice.
func Anytime(a Action) bool { return anytime[reflect.TypeOf(a)] }

// anytime holds the types of the fields of Choice with the tag anytime.
var anytime = func() map[reflect.Type]bool {
	marked := map[reflect.Type]bool{}
	for _, f := range reflect.VisibleFields(reflect.TypeFor[Choice]()) {
		if f.Tag.Get("anytime") == "true" {
			marked[f.Type] = true
		}
	}
	return marked
}()

// World is the world that Validate checks actions against.
type World interface {
	// FindRobot returns the robot with a name. It fails if there is no such robot.
	FindRobot(name string) (physics.Robot, error)
	// FindNumber fails unless the team has a robot with this number.
	FindNumber(team physics.Team, number int) error
	// FindSensor returns the configuration of a robot's sensor. It fails if there is no such sensor. It returns nil for
	// a robot whose model could not be read.
	FindSensor(robot, sensor string) (*sensors.Config, error)
	// FindBody fails unless name is that of the ball, a robot or an obstacle.
	FindBody(name string) error
	// FindBodies fails unless a word is the name of a body, or a kind of at least as many bodies.
	FindBodies(word string, least int) error
	// FindPart fails unless the world has a part: a ball, or goals and a ball.
	FindPart(name string) error
	// FindBoard fails unless name is that of a board.
	FindBoard(name string) error
	// FindAnswers fails unless speed lockstep can wait for the answers of at least one robot.
	FindAnswers() error
	// FindLamp fails unless name is that of a lamp near the field.
	FindLamp(name string) error
	// FindOdometry fails unless a robot has a sensor of kind odometry.
	FindOdometry(robot string) error
	// FindRadios fails unless at least one robot with this name and team has a radio. An empty name or team matches
	// every robot.
	FindRadios(robot string, team physics.Team) error
}

// Simulation is a running world in which actions are carried out. A method fails if nothing in the simulation has the
// given name.
type Simulation interface {
	Field() *physics.Field
	Robot(name string) (*physics.Robot, error)
	// Robots returns all robots, in the model's order.
	Robots() []physics.Robot
	// Command changes a robot's command from the next step on.
	Command(robot string, change func(*physics.Command)) error
	// Play makes a behaviour play a robot from the next step on. If once is true, the previous player continues when
	// the behaviour has ended.
	Play(robot string, b player.Behaviour, once bool) error
	// SetBallHandling sets whether a robot may hold and kick the ball, from the next step on.
	SetBallHandling(robot string, enable bool) error
	// SetWired connects a robot to its programs, or disconnects it from them.
	SetWired(robot string, wired bool) error
	// SetRadio switches the radios of all robots with this name and team on or off. An empty name or team matches every
	// robot. SetRadio fails if no such robot has a radio.
	SetRadio(robot string, team physics.Team, on bool) error
	// SetLevel sets the level of a sensor's next frame.
	SetLevel(robot, sensor string, level abstraction.Level) error
	// SetFault gives a sensor a fault, from its next frame on. An empty fault means that the sensor works again.
	SetFault(robot, sensor string, fault sensors.Fault) error
	// Head returns the head of a camera, and the level of the camera's next frame.
	Head(robot, sensor string) (*sensors.Head, abstraction.Level, error)
	// ResetOdometry makes a robot's sensors of kind odometry begin at their last readings.
	ResetOdometry(robot string) error
	// MoveJoints gives commands to the controllers of a robot's joints, by their indices in Robot. If one of them
	// cannot be carried out, MoveJoints fails and changes nothing.
	MoveJoints(robot string, joints []int, to []physics.JointTarget) error
	// PlayAnimation lets a robot play an animation, by its index in Robot, once it stands and does nothing else.
	PlayAnimation(robot string, animation int) error
	// Place moves the ball, a robot or an obstacle to a pose, and sets its twist in W. It fails for an absent body.
	// Spawn also brings an absent robot or obstacle. Delete makes one absent.
	Place(name string, poseWB spatial.Pose, twistInW spatial.Twist) error
	Spawn(name string, poseWB spatial.Pose, twistInW spatial.Twist) error
	Delete(name string) error
	// Pose returns the present pose of the ball, a robot or an obstacle.
	Pose(name string) (spatial.Pose, error)
	// Push lets a force, N, act at a body's centre of mass, and a torque, N m, both in W. They begin at the sim time
	// from, or at once if it has passed, and last for the duration d; if d is negative, until StopPushes. StopPushes
	// ends all pushes of a body.
	Push(name string, forceW, torqueW mgl64.Vec3, from, d time.Duration) error
	StopPushes(name string) error
	// Sound begins a sound at the present time. Its Start and Number are set.
	Sound(sensors.Sound)
	// Hang moves a board to a pose.
	Hang(board string, poseWB spatial.Pose) error
	// End ends the run after the present step. SetSpeed sets the speed of the run.
	End()
	SetSpeed(speed timesync.Speed) error
	// Record switches the optional part of the run's recording on or off.
	Record(on bool) error
	// GameCommand gives a command of the referee box.
	GameCommand(c *GameCommand) error
	// TellTeam sends a team a message of the coach.
	TellTeam(team physics.Team, word coach.Word)
	// Speak lets people hear what a robot says.
	Speak(Speak)
	// Clock returns the clock of sim time, which actions pause and resume.
	Clock() *timesync.Clock
	// ResetBodies moves the ball, robots and obstacles to their start poses, at rest. Absent bodies stay absent.
	ResetBodies() error
	// Restart restarts the world before the next step. If seed is not nil, the world restarts with that seed.
	Restart(seed *uint64) error
	// ChangeLight changes the light of the hall by calling the function change. If change fails, the light stays as it
	// was.
	ChangeLight(change func(*render.FadingLight) error) error
	PaintBall(color render.Color) error
	PaintCarpet(color render.Color) error
}

// Choice names one action by its key. The tag anytime marks actions that any goroutine may carry out (Anytime). If such
// an action commands several robots, the commands may take effect in different steps. Actions without it change bodies,
// light or the game, which belong to the goroutine that steps.
type Choice struct {
	Drive           *Drive           `toml:"drive" anytime:"true" doc:"makes a robot drive at a velocity, for a limited time or from then on"`
	Follow          *Follow          `toml:"follow" anytime:"true" doc:"makes a robot drive along way points once; then its player continues, or it rests"`
	Play            *Play            `toml:"play" anytime:"true" doc:"makes a scripted player play a robot; not available over a wire"`
	Dribble         *Dribble         `toml:"dribble" needs:"ball" anytime:"true" doc:"switches a robot's dribbler on or off"`
	Kick            *Kick            `toml:"kick" needs:"ball" anytime:"true" doc:"makes a robot kick the ball that it holds"`
	Extend          *Extend          `toml:"extend" anytime:"true" doc:"makes a goalkeeper extend itself"`
	SendOff         *SendOff         `toml:"send_off" doc:"parks a robot next to the field"`
	SetBallHandling *SetBallHandling `toml:"set_ball_handling" needs:"ball" anytime:"true" doc:"sets whether robots may hold and kick the ball, as a referee's stop and start do"`
	CutWires        *CutWires        `toml:"cut_wires" anytime:"true" doc:"disconnects a robot from its programs"`
	RestoreWires    *RestoreWires    `toml:"restore_wires" anytime:"true" doc:"connects a robot to its programs again"`
	CutRadio        *CutRadio        `toml:"cut_radio" doc:"switches off radios, by which robots talk to their teammates"`
	RestoreRadio    *RestoreRadio    `toml:"restore_radio" doc:"switches radios on again"`
	SetLevel        *SetLevel        `toml:"set_level" anytime:"true" was:"set|to|level" doc:"sets the level of a sensor's next frame"`
	BreakSensor     *BreakSensor     `toml:"break_sensor" anytime:"true" doc:"breaks a sensor"`
	HealSensor      *HealSensor      `toml:"heal_sensor" anytime:"true" doc:"heals a broken sensor"`
	AimHead         *AimHead         `toml:"aim_head" was:"aim|pan_deg|tilt_deg" doc:"turns a camera's head"`
	LookAt          *LookAt          `toml:"look_at" was:"point" doc:"turns a camera's head towards a point"`
	SetHeadMode     *SetHeadMode     `toml:"set_head_mode" was:"gaze|do" doc:"sets the mode of the controller of a camera's head"`
	MoveJoint       *MoveJoint       `toml:"move_joint" doc:"moves a joint of a robot that a URDF or MJCF file describes"`
	MoveJoints      *MoveJoints      `toml:"move_joints" doc:"moves several joints of such a robot along a trajectory, or stops them"`
	SwitchMotors    *SwitchMotors    `toml:"switch_motors" doc:"switches the motors of all joints of such a robot off or on"`
	PlayAnimation   *PlayAnimation   `toml:"play_animation" doc:"makes a robot play one of its animations, which move joints through key frames"`
	ResetOdometry   *ResetOdometry   `toml:"reset_odometry" doc:"makes a robot's odometry begin where the robot was at its last reading; without effect at level truth"`
	Place           *Place           `toml:"place" was:"pose" doc:"moves the ball, a robot or an obstacle to a place"`
	Spawn           *Spawn           `toml:"spawn" doc:"brings an absent robot or obstacle to a place"`
	Delete          *Delete          `toml:"delete" doc:"makes a robot or an obstacle absent"`
	Push            *Push            `toml:"push" doc:"lets a force and a torque act on the ball, a robot or an obstacle"`
	StopPushes      *StopPushes      `toml:"stop_pushes" doc:"ends all pushes of the ball, a robot or an obstacle"`
	Whistle         *Whistle         `toml:"whistle" doc:"whistles, which microphones hear"`
	Speak           *Speak           `toml:"speak" doc:"makes a robot say something to people"`
	Hang            *Hang            `toml:"hang" doc:"moves a board to a place in the air"`
	GameCommand     *GameCommand     `toml:"game_command" needs:"goals" doc:"gives a command of the referee box"`
	Coach           *Coach           `toml:"coach" doc:"sends one team or both a message of the coach"`
	Pause           *Pause           `toml:"pause" anytime:"true" doc:"stops sim time after the present step"`
	Resume          *Resume          `toml:"resume" anytime:"true" doc:"continues sim time after pause; programs may send this over a wire"`
	SetSpeed        *SetSpeed        `toml:"set_speed" anytime:"true" doc:"sets the speed of the run"`
	Record          *Record          `toml:"record" anytime:"true" doc:"switches the optional part of a recording on or off"`
	End             *End             `toml:"end" anytime:"true" doc:"ends the run"`
	Reset           *Reset           `toml:"reset" anytime:"true" doc:"restarts the world at time 0"`
	ResetBodies     *ResetBodies     `toml:"reset_bodies" doc:"moves ball, robots and obstacles that are not absent to their start poses"`
	SetLight        *SetLight        `toml:"set_light" doc:"changes the brightness or colour of the hall's light"`
	SetLamp         *SetLamp         `toml:"set_lamp" doc:"moves a lamp near the field, or changes its brightness or colour"`
	SetBallColor    *SetBallColor    `toml:"set_ball_color" needs:"ball" doc:"changes the ball's colour"`
	SetCarpetColor  *SetCarpetColor  `toml:"set_carpet_color" doc:"changes the carpet's colour"`
}

// Action returns the action and its key. It fails if none or more than one is named.
func (c *Choice) Action() (key string, a Action, err error) {
	key, value, err := rules.One(c, "an event without a name needs one action of", "an event needs one action")
	if err != nil {
		return "", nil, err
	}
	return key, value.(Action), nil
}

// Check reports each violation of the rules in the tags of an action's fields.
func Check(a Action) error {
	switch a.(type) {
	case *Drive, *Dribble:
		return nil // Commands are frequent, and physics.Command itself checks all their rules.
	}
	return schema.Check(a)
}

// violation returns err as the violation of the field with the given key, or nil if err is nil.
func violation(key string, value any, err error) error {
	if err == nil {
		return nil
	}
	return &schema.Violation{Key: key, Value: value, Rule: err.Error()}
}
