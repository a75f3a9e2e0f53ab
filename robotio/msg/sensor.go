package msg

// Image is sensor_msgs/Image: Height rows of Step bytes each, top row first. Encoding is, for example, bgr8, rgb8,
// mono8, 16UC1 (depth in mm), 32FC1 (depth in m), ….
type Image struct {
	Header        Header
	Height, Width uint32
	Encoding      string
	IsBigendian   uint8
	Step          uint32
	Data          []uint8
}

// CameraInfo is sensor_msgs/CameraInfo. D is the distortion, K the 3×3 matrix of intrinsics in pixels, R the 3×3
// rectification, and P the 3×4 projection. Matrices are row-major.
type CameraInfo struct {
	Header             Header
	Height, Width      uint32
	DistortionModel    string
	D                  []float64
	K, R               [9]float64
	P                  [12]float64
	BinningX, BinningY uint32
	ROI                RegionOfInterest
}

// RegionOfInterest is sensor_msgs/RegionOfInterest.
type RegionOfInterest struct {
	XOffset, YOffset, Height, Width uint32
	DoRectify                       bool
}

// Imu is sensor_msgs/Imu, in the frame of the sensor. Units are rad/s and m/s². Covariances are 3×3, row-major. If a
// quantity is not measured, the first element of its covariance is -1.
type Imu struct {
	Header                       Header
	Orientation                  Quaternion
	OrientationCovariance        [9]float64
	AngularVelocity              Vector3
	AngularVelocityCovariance    [9]float64
	LinearAcceleration           Vector3
	LinearAccelerationCovariance [9]float64
}

// LaserScan is sensor_msgs/LaserScan.
type LaserScan struct {
	Header                                                                          Header
	AngleMin, AngleMax, AngleIncrement, TimeIncrement, ScanTime, RangeMin, RangeMax float32
	Ranges, Intensities                                                             []float32
}

// JointState is sensor_msgs/JointState.
type JointState struct {
	Header                     Header
	Name                       []string
	Position, Velocity, Effort []float64
}

// JointTrajectory is trajectory_msgs/JointTrajectory: goals of joints.
type JointTrajectory struct {
	Header     Header
	JointNames []string
	Points     []JointTrajectoryPoint
}

// JointTrajectoryPoint is trajectory_msgs/JointTrajectoryPoint. Values are in SI units, in the order of the joint names
// in the JointTrajectory.
type JointTrajectoryPoint struct {
	Positions, Velocities, Accelerations, Effort []float64
	TimeFromStart                                Duration
}

// PointField is sensor_msgs/PointField.
type PointField struct {
	Name     string
	Offset   uint32
	Datatype uint8
	Count    uint32
}

// PointCloud2 is sensor_msgs/PointCloud2.
type PointCloud2 struct {
	Header             Header
	Height, Width      uint32
	Fields             []PointField
	IsBigendian        bool
	PointStep, RowStep uint32
	Data               []uint8
	IsDense            bool
}

// BatteryState is sensor_msgs/BatteryState. Current is negative while the battery discharges. Quantities that are not
// measured are NaN.
type BatteryState struct {
	Header                                                                      Header
	Voltage, Temperature, Current, Charge, Capacity, DesignCapacity, Percentage float32
	PowerSupplyStatus, PowerSupplyHealth, PowerSupplyTechnology                 uint8
	Present                                                                     bool
	CellVoltage, CellTemperature                                                []float32
	Location, SerialNumber                                                      string
}
