package msg

// Speed is omnipitch_msgs/Speed. The definitions describe the fields of all these types.
type Speed struct {
	Header     Header
	Speed      string
	Paused     bool
	Step       float64 // s
	Target     float64
	Measured   float64
	NextTarget float64
	NextFrom   Time
	Ahead      []float64 // s
	Likely     []float64 // s
	Upper      []float64 // s
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

// PredictResponse is its response.
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

// CoachResponse is its response.
type CoachResponse struct {
	Success bool
	Message string
}

// SeekRequest is the request of omnipitch_msgs/Seek.
type SeekRequest struct {
	To float64 // s
}

// SeekResponse is its response.
type SeekResponse struct{}

// StepRequest is the request of omnipitch_msgs/Step.
type StepRequest struct {
	Steps uint32
}

// StepResponse is its response.
type StepResponse struct {
	Now Time
}

// Perception is omnipitch_msgs/Perception.
type Perception struct {
	Header                  Header
	Team, Number            uint8
	FieldLength, FieldWidth float64 // m
	SelfKnown               bool
	X, Y, Heading           float64 // m, rad
	VX, VY, Omega           float64 // m/s, rad/s
	Holding                 bool
	BallSeen                bool
	BallX, BallY, BallZ     float64 // m
	BallVelocityKnown       bool
	BallVX, BallVY, BallVZ  float64 // m/s
	Others                  []Sighting
	Phase, Half, SetPiece   string
	SetPieceTeam            uint8
	Goals, GoalsAgainst     uint32
}

// Teams of Perception and Sighting.
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
}
