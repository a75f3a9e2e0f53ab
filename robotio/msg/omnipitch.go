package msg

// Speed is omnipitch_msgs/Speed. The .msg and .srv files of omnipitch_msgs describe the fields of all types in this
// file.
type Speed struct {
	Header                       Header
	Speed                        string
	Paused                       bool
	Step                         float64 // s
	Target, Measured, NextTarget float64
	NextFrom                     Time
	Ahead                        []float64 // s
	Likely                       []float64 // s
	Upper                        []float64 // s
}

// Radio is omnipitch_msgs/Radio.
type Radio struct {
	Header Header
	Sender string
	Data   []byte
}

// PredictRequest is the request of omnipitch_msgs/Predict.
type PredictRequest struct {
	Sim, Wall float64 // s
}

// PredictResponse is the response of omnipitch_msgs/Predict.
type PredictResponse struct {
	Now                   Time
	Known                 bool
	WallLikely, WallUpper float64 // s
	SimLikely, SimLeast   float64 // s
}

// CoachRequest is the request of omnipitch_msgs/Coach.
type CoachRequest struct {
	Command, Team, Mode string
	TestMode            uint8
	A, B                [3]float64 // m, m, rad
	IDA, IDB, Kick      uint8
}

// CoachResponse is the response of omnipitch_msgs/Coach.
type CoachResponse struct {
	Success bool
	Message string
}

// SeekRequest is the request of omnipitch_msgs/Seek.
type SeekRequest struct {
	To float64 // s
}

// SeekResponse is the response of omnipitch_msgs/Seek.
type SeekResponse struct{}

// StepRequest is the request of omnipitch_msgs/Step.
type StepRequest struct{ Steps uint32 }

// StepResponse is the response of omnipitch_msgs/Step.
type StepResponse struct{ Now Time }

// Perception is omnipitch_msgs/Perception.
type Perception struct {
	Header                  Header
	Team, Number            uint8
	HasDribbler, HasKicker  bool
	HasExtension            bool
	FieldLength, FieldWidth float64 // m
	SelfKnown               bool
	X, Y, Heading           float64 // m, rad
	VX, VY, Omega           float64 // m/s, rad/s
	Holding, BallSeen       bool
	BallX, BallY, BallZ     float64 // m
	BallVelocityKnown       bool
	BallVX, BallVY, BallVZ  float64 // m/s
	Others                  []Sighting
	Phase, Half, SetPiece   string
	SetPieceTeam            uint8
	Goals, GoalsAgainst     uint32
}

// Values of the field Team of Perception and Sighting.
const (
	TeamUnknown uint8 = iota
	TeamCyan
	TeamMagenta
)

// Sighting is omnipitch_msgs/Sighting.
type Sighting struct {
	Team, Number uint8
	X, Y         float64 // m
	VX, VY       float64 // m/s
	Width        float64 // m
}

// RobotCommand is omnipitch_msgs/RobotCommand.
type RobotCommand struct {
	VX, VY, Omega float64 // m/s, rad/s
	Dribble       bool
	Kick          uint8
	KickSpeed     float64 // m/s
	Extend        uint8
}

// Values of the field Extend of RobotCommand.
const (
	ExtendIn uint8 = iota
	ExtendLeft
	ExtendRight
	ExtendUp
)

// RobotStatus is omnipitch_msgs/RobotStatus.
type RobotStatus struct {
	Header       Header
	VX, VY       float64 // m/s, in the frame of the header
	Role, Action string
	Dribbling    bool
}

// The types below are used in recordings. Their definitions in omnipitch_msgs describe the fields.

// Command is omnipitch_msgs/Command.
type Command struct {
	Number, Step                         uint64
	Moment                               uint8
	Robot                                string
	VX, VY, Omega                        float64
	Dribble                              bool
	Reach, ReachAngle                    float64
	Kick                                 uint8
	KickSpeed, KickElevation, KickFlight float64
	KickAbsolute                         bool
	KickReach, KickReachAngle            float64
	Extend                               uint8
}

// Input is omnipitch_msgs/Input.
type Input struct {
	Number, Step     uint64
	Moment           uint8
	Kind, Name, Data string
}

// Body is omnipitch_msgs/Body.
type Body struct {
	Name  string
	Pose  Pose
	Twist Twist
}

// Truth is omnipitch_msgs/Truth.
type Truth struct {
	Header Header
	Step   uint64
	HeldBy string
	Bodies []Body
}

// Touch is omnipitch_msgs/Touch.
type Touch struct {
	Header           Header
	Step             uint64
	Kind, A, B       string
	Position         Point
	Impulse, Closing float64
}

// Level is omnipitch_msgs/Level.
type Level struct {
	Header               Header
	Robot, Sensor, Level string
	Frame                uint64
}

// Game is omnipitch_msgs/Game.
type Game struct {
	Header                      Header
	Phase, Half, SetPiece, Team string
	Cyan, Magenta               uint32
}

// Verdict is omnipitch_msgs/Verdict.
type Verdict struct {
	Header                              Header
	Expectation, Outcome, Expected, Was string
}

// Decision is omnipitch_msgs/Decision.
type Decision struct {
	Header              Header
	Step                uint64
	Rule, Reason        string
	Place               Point
	Against             string
	Robots              []string
	Goal, Command, Team string
	Ball                Point
	Basis               []Quantity
}

// Quantity is omnipitch_msgs/Quantity.
type Quantity struct {
	Name  string
	Value float64
	Unit  string
	Limit float64
}

// Recording is omnipitch_msgs/Recording.
type Recording struct {
	Header        Header
	Active, Exact bool
}

// Hashes is omnipitch_msgs/Hashes.
type Hashes struct {
	Episode uint32
	First   uint64
	Hashes  []uint64
}

// Exact is omnipitch_msgs/Exact.
type Exact struct {
	Episode     uint32
	First, Last uint64
	Data        []byte
}

// KeyFrame is omnipitch_msgs/KeyFrame.
type KeyFrame struct {
	Episode      uint32
	Step, Inputs uint64
	Data         []byte
}

// Episode is omnipitch_msgs/Episode.
type Episode struct {
	Header       Header
	Episode      uint32
	Seed, Inputs uint64
}
