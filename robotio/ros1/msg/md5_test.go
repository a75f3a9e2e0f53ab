package msg

import "testing"

// MD5 sums from the teams' generated code and, for ROS's types, from Debian's genpy 0.6.
var md5s = []struct{ dialect, name, want string }{
	{"nubot", "nubot_common/Angle", "7328b114b91e2487fcf12e1581a80145"},
	{"nubot", "nubot_common/Point2d", "ff8d7d66dd3e4b731ef14a45d38888b6"},
	{"nubot", "nubot_common/Point3d", "cc153912f1453b708d221682bc23d9ac"},
	{"nubot", "nubot_common/PPoint", "29d7d0dfcbdb558f82b1c2caff948161"},
	{"nubot", "nubot_common/VelCmd", "914217797e9c6227112d1ec2a4b462eb"},
	{"hawking", "nubot_common/VelCmd", "d261b0f53254c1f7313cdcefb2c91a71"},
	{"nubot", "nubot_common/OdoInfo", "b4f534aa8c080899ef112a410cc2c113"},
	{"hawking", "nubot_common/OdoInfo", "8582fa9c5471801c91b381b70caabb2f"},
	{"nubot", "nubot_common/BallInfo", "06211c2a8d639c68390f487a28e6a33a"},
	{"nubot", "nubot_common/BallInfo3d", "6634a529c2fba000f06cf99f5ab31312"},
	{"nubot", "nubot_common/FrontBallInfo", "2f6f5be4b3c5cce090957cd65810f7ac"},
	{"nubot", "nubot_common/ObstaclesInfo", "8850a2241dd98578d2d66d842f5946c8"},
	{"nubot", "nubot_common/RobotInfo", "b4ae67161bf4b86c0bc4c4f720e02189"},
	{"nubot", "nubot_common/OminiVisionInfo", "71f66ce5416c122d9955b156151ea395"},
	{"nubot", "nubot_common/CoachInfo", "7bb01a0f4328cb28beb61d4f502c2969"},
	{"nubot", "nubot_common/PassCommands", "d50d66ad0a96e8d9eae8a7a9da579ad2"},
	{"nubot", "nubot_common/StrategyInfo", "9983cea3e357670f055f12d4322a06c9"},
	{"coach4sim", "nubot_common/StrategyInfo", "97fdcf0f263b5f43bee35f3f082e9188"},
	{"nubot", "nubot_common/simulation_strategy", "1d84999556ec502fdeaed67902dd635f"},
	{"nubot", "nubot_common/WorldModelInfo", "7d184d155b8f964299d2ae834875aebd"},
	{"nubot", "nubot_common/MotionCmd", "30d0e9586d38562b1d1169a09f9d7131"},
	{"nubot", "nubot_common/MotorInfo", "a75d984a29f54312561eb327c067e655"},
	{"nubot", "nubot_common/TargetInfo", "a4938944832bdc9277041fe2fa758dce"},
	{"simatch", "nubot_common/ActionCmd", "e204a5c5aa57094f9f1d312ee6cf39ca"},
	{"simatch", "nubot_common/BallIsHolding", "54632c03708fe2af90615888ddba8d4e"},
	{"simatch", "nubot_common/SendingOff", "9191751af64414be11d66149d6cb5102"},
	{"simatch", "nubot_common/object_info", "799347d7afb7b966d6574b6b5aa1c5a4"},
	{"simatch", "nubot_common/Teleop_joy", "904df5359167b04c6044a1dec980e9cb"},
	{"nubot", "nubot_common/Shoot", "5f7b2fca861afe65dc92d3f6a153bbec"},
	{"single_nubot_gazebo", "nubot_common/Shoot", "54c1555564745a2a3a3b1ef0c86f5fb5"},
	{"hawking", "nubot_common/Shoot", "34d8cb4a569c45a32032cbd579e425c0"},
	{"nubot", "nubot_common/BallHandle", "f352f0080766880a151542e750a50ea8"},
	{"hawking", "nubot_common/BallHandle", "24c08ec1d72612a66058c7d0c7308c9f"},
	{"simatch", "nubot_common/DribbleId", "b6b47c6e56fd60d8b47d92133446ffca"},
	// humanoid: the text of the thesis, with Debian's genmsg
	{"humanoid", "humanoid_league_msgs/BallInImage", "c3775125953fa948c8ca5a04d3bd36eb"},
	{"humanoid", "humanoid_league_msgs/BarInImage", "645ce58d896d16cdb3348adfe941e472"},
	{"humanoid", "humanoid_league_msgs/GameState", "2bc5e50260adc2013b416b415e6ef100"},
	{"humanoid", "humanoid_league_msgs/LineCircleInImage", "1391275a7908848395b4cf2a6cc3623d"},
	{"humanoid", "humanoid_league_msgs/LineCircleRelative", "1391275a7908848395b4cf2a6cc3623d"},
	{"humanoid", "humanoid_league_msgs/LineIntersectionInImage", "8581a64159c6d398c007390725e23124"},
	{"humanoid", "humanoid_league_msgs/LineIntersectionRelative", "0e6c41f7595c6eb3afcf6cdac696ac01"},
	{"humanoid", "humanoid_league_msgs/LineSegmentInImage", "38f8e48a7dd124af1546532c4c2775cf"},
	{"humanoid", "humanoid_league_msgs/LineSegmentRelative", "e4a97f9fc82561369b664d6f2547bb4b"},
	{"humanoid", "humanoid_league_msgs/ObstacleInImage", "fb35c517f84a103f372155073cbba57f"},
	{"humanoid", "humanoid_league_msgs/ObstacleRelative", "26103c1afee4bb8be9620ddda46c7977"},
	{"humanoid", "humanoid_league_msgs/PostInImage", "7141529afcb824daf03a4a4e1c05168e"},
	{"humanoid", "humanoid_league_msgs/BallsInImage", "cdf49aebf284ad0fe1eefcef6541d941"},
	{"humanoid", "humanoid_league_msgs/GoalInImage", "31c4083caf269f5bd1a329c93dbda662"},
	{"humanoid", "humanoid_league_msgs/GoalPartsInImage", "3984dbfb19e5ace43eb162b14a998cb6"},
	{"humanoid", "humanoid_league_msgs/LineInformationInImage", "25d62ea6a3858a13371e5c9b6c45296e"},
	{"humanoid", "humanoid_league_msgs/LineInformationRelative", "4db332e370a39a7fe250480f73ec9096"},
	{"humanoid", "humanoid_league_msgs/Model", "c32243356db3bd1ee9d6114ca64c1695"},
	{"humanoid", "humanoid_league_msgs/ObstaclesInImage", "1e95eac14d7304b45b13808716c4cb8d"},
	{"humanoid", "humanoid_league_msgs/ObstaclesRelative", "67a31dde9db32d6fa656bf9192dcc9a9"},
	{"humanoid", "humanoid_league_msgs/TeamData", "3c1658268445f044e3a6e26e5ab92357"},
	{"humanoid", "humanoid_league_msgs/RobotControlState", "2328f6cdab1397e392c2b1404b1c4d3c"},
	{"humanoid_may2017", "humanoid_league_msgs/AdditionalServoData", "35c09e22724f03879e9711ba15df9d42"},
	{"humanoid_may2017", "humanoid_league_msgs/BallInImage", "90e95ed5b7c4ae20cbc638453cf31bb7"},
	{"humanoid_may2017", "humanoid_league_msgs/BallRelative", "d02a2a10c86c18c5449caf060c21d4c6"},
	{"humanoid_may2017", "humanoid_league_msgs/BallsInImage", "35ec7ec20262c79114f07e8f1e8ce673"},
	{"humanoid_may2017", "humanoid_league_msgs/BarInImage", "fc2e062fdbea58061f1e4bcb7510db2f"},
	{"humanoid_may2017", "humanoid_league_msgs/GameState", "36ea982046fabfdd283bc1d352aa9438"},
	{"humanoid_may2017", "humanoid_league_msgs/GoalInImage", "8496af08ca739a530ae0e0b017a0ba88"},
	{"humanoid_may2017", "humanoid_league_msgs/GoalPartsInImage", "414bdeb7ea88f8c7d90c72bc02231e66"},
	{"humanoid_may2017", "humanoid_league_msgs/GoalRelative", "e22e7154487a20a2d60b98762c59b034"},
	{"humanoid_may2017", "humanoid_league_msgs/HeadMode", "eb98960a74192c06acad277ece0eb0d1"},
	{"humanoid_may2017", "humanoid_league_msgs/LineCircleInImage", "a308f4836d6e1ddc7fdb4aef3d3e8a62"},
	{"humanoid_may2017", "humanoid_league_msgs/LineCircleRelative", "a308f4836d6e1ddc7fdb4aef3d3e8a62"},
	{"humanoid_may2017", "humanoid_league_msgs/LineInformationInImage", "0046bff18564d1ff259c25b80b246444"},
	{"humanoid_may2017", "humanoid_league_msgs/LineInformationRelative", "c3f3ab43e63632f7fafd631643d23553"},
	{"humanoid_may2017", "humanoid_league_msgs/LineIntersectionInImage", "980e372a707e53581170ae6e03b7c340"},
	{"humanoid_may2017", "humanoid_league_msgs/LineIntersectionRelative", "8392212b950b9d1b4d55e78d2094a2cf"},
	{"humanoid_may2017", "humanoid_league_msgs/LineSegmentInImage", "d0e1617931b08ca66afbb6d4be8d99e3"},
	{"humanoid_may2017", "humanoid_league_msgs/LineSegmentRelative", "f020ba307526912d5724b855ee3e8f56"},
	{"humanoid_may2017", "humanoid_league_msgs/Model", "55f7ee25e88a6845f62dc23a8bccd993"},
	{"humanoid_may2017", "humanoid_league_msgs/ObstacleInImage", "5e334321d63927966a578660e9c5fd06"},
	{"humanoid_may2017", "humanoid_league_msgs/ObstacleRelative", "96164c833f5cfca473add6b66611366a"},
	{"humanoid_may2017", "humanoid_league_msgs/ObstaclesInImage", "0807f4239b3cd59edd38069d2f956035"},
	{"humanoid_may2017", "humanoid_league_msgs/ObstaclesRelative", "5f2aaa3a12aada8dcc308c0682249316"},
	{"humanoid_may2017", "humanoid_league_msgs/Position2D", "d607bce13bd2c94613a4183be419f227"},
	{"humanoid_may2017", "humanoid_league_msgs/PostInImage", "69845e64be888b8b5f14fec4a8bcc64e"},
	{"humanoid_may2017", "humanoid_league_msgs/RobotControlState", "2328f6cdab1397e392c2b1404b1c4d3c"},
	{"humanoid_may2017", "humanoid_league_msgs/Speak", "f360f3d1d1c01a5c835f4716354e4c26"},
	{"humanoid_may2017", "humanoid_league_msgs/Strategy", "73b1522777cf7f264eedf954da4c5819"},
	{"humanoid_may2017", "humanoid_league_msgs/TeamData", "3c1658268445f044e3a6e26e5ab92357"},
	{"humanoid_may2017", "humanoid_league_msgs/VisualCompassRotation", "44fdc5544cc3e3cee8f82caccfdf780d"},
	{"nubot", "geometry_msgs/Point", "4a842b65f413084dc2b10fb484ea7f17"},
	{"nubot", "geometry_msgs/Point32", "cc153912f1453b708d221682bc23d9ac"},
	{"nubot", "geometry_msgs/PointStamped", "c63aecb41bfdfd6b7e1fac37c7cbe7bf"},
	{"nubot", "geometry_msgs/Polygon", "cd60a26494a087f577976f0329fa120e"},
	{"nubot", "geometry_msgs/PolygonStamped", "c6be8f7dc3bee7fe9e8d296070f53340"},
	{"nubot", "geometry_msgs/Pose", "e45d45a5a1ce597b249e23fb30fc871f"},
	{"nubot", "geometry_msgs/Pose2D", "938fa65709584ad8e77d238529be13b8"},
	{"nubot", "geometry_msgs/PoseArray", "916c28c5764443f268b296bb671b9d97"},
	{"nubot", "geometry_msgs/PoseStamped", "d3812c3cbc69362b77dc0b19b345f8f5"},
	{"nubot", "geometry_msgs/PoseWithCovariance", "c23e848cf1b7533a8d7c259073a97e6f"},
	{"nubot", "geometry_msgs/PoseWithCovarianceStamped", "953b798c0f514ff060a53a3498ce6246"},
	{"nubot", "geometry_msgs/Quaternion", "a779879fadf0160734f906b8c19c7004"},
	{"nubot", "geometry_msgs/Transform", "ac9eff44abf714214112b05d54a3cf9b"},
	{"nubot", "geometry_msgs/TransformStamped", "b5764a33bfeb3588febc2682852579b0"},
	{"nubot", "geometry_msgs/Twist", "9f195f881246fdfa2798d1d3eebca84a"},
	{"nubot", "geometry_msgs/TwistStamped", "98d34b0043a2093cf9d9345ab6eef12e"},
	{"nubot", "geometry_msgs/TwistWithCovariance", "1fe8a28e6890a4cc3ae4c3ca5c7d82e6"},
	{"nubot", "geometry_msgs/TwistWithCovarianceStamped", "8927a1a12fb2607ceea095b2dc440a96"},
	{"nubot", "geometry_msgs/Vector3", "4a842b65f413084dc2b10fb484ea7f17"},
	{"nubot", "geometry_msgs/Vector3Stamped", "7b324c7325e683bf02a9b14b01090ec7"},
	{"nubot", "geometry_msgs/Wrench", "4f539cf138b23283b520fd271b567936"},
	{"nubot", "geometry_msgs/WrenchStamped", "d78d3cb249ce23087ade7e7d0c40cfa7"},
	{"nubot", "nav_msgs/Odometry", "cd5e73d190d741a2f92e81eda573aca7"},
	{"nubot", "nav_msgs/Path", "6227e2b7e9cce15051f669a5e197bbf7"},
	{"nubot", "rosgraph_msgs/Clock", "a9c97c1d230cfc112e270351a944ee47"},
	{"nubot", "rosgraph_msgs/Log", "acffd30cd6b6de30f120938c17c593fb"},
	{"nubot", "sensor_msgs/CameraInfo", "c9a58c1b0b154e0e6da7578cb991d214"},
	{"nubot", "sensor_msgs/CompressedImage", "8f7a12909da2c9d3332d540a0977563f"},
	{"nubot", "sensor_msgs/Image", "060021388200f6f0f447d0fcd9c64743"},
	{"nubot", "sensor_msgs/Imu", "6a62c6daae103f4ff57a132d6f95cec2"},
	{"nubot", "sensor_msgs/JointState", "3066dcd76a6cfaef579bd0f34173e9fd"},
	{"nubot", "sensor_msgs/Joy", "5a9ea5f83505693b71e785041e67a8bb"},
	{"nubot", "sensor_msgs/LaserScan", "90c7ef2dc6895d81024acba2ac42f369"},
	{"nubot", "sensor_msgs/MagneticField", "2f3b0b43eed0c9501de0fa3ff89a45aa"},
	{"nubot", "sensor_msgs/PointCloud2", "1158d486dd51d683ce2f1be655c3c181"},
	{"nubot", "sensor_msgs/PointField", "268eacb2962780ceac86cbd17e328150"},
	{"nubot", "sensor_msgs/Range", "c005c34273dc426c67a020a87bc24148"},
	{"nubot", "sensor_msgs/RegionOfInterest", "bdb633039d588fcccb441a4d43ccfe09"},
	{"nubot", "sensor_msgs/Temperature", "ff71b307acdbe7c871a5a6d7ed359100"},
	{"nubot", "std_msgs/Bool", "8b94c1b53db61fb6aed406028ad6332a"},
	{"nubot", "std_msgs/Byte", "ad736a2e8818154c487bb80fe42ce43b"},
	{"nubot", "std_msgs/Char", "1bf77f25acecdedba0e224b162199717"},
	{"nubot", "std_msgs/ColorRGBA", "a29a96539573343b1310c73607334b00"},
	{"nubot", "std_msgs/Duration", "3e286caf4241d664e55f3ad380e2ae46"},
	{"nubot", "std_msgs/Empty", "d41d8cd98f00b204e9800998ecf8427e"},
	{"nubot", "std_msgs/Float32", "73fcbf46b49191e672908e50842a83d4"},
	{"nubot", "std_msgs/Float32MultiArray", "6a40e0ffa6a17a503ac3f8616991b1f6"},
	{"nubot", "std_msgs/Float64", "fdb28210bfa9d7c91146260178d9a584"},
	{"nubot", "std_msgs/Float64MultiArray", "4b7d974086d4060e7db4613a7e6c3ba4"},
	{"nubot", "std_msgs/Header", "2176decaecbce78abc3b96ef049fabed"},
	{"nubot", "std_msgs/Int16", "8524586e34fbd7cb1c08c5f5f1ca0e57"},
	{"nubot", "std_msgs/Int32", "da5909fbe378aeaf85e547e830cc1bb7"},
	{"nubot", "std_msgs/Int32MultiArray", "1d99f79f8b325b44fee908053e9c945b"},
	{"nubot", "std_msgs/Int64", "34add168574510e6e17f5d23ecc077ef"},
	{"nubot", "std_msgs/Int8", "27ffa0c9c4b8fb8492252bcad9e5c57b"},
	{"nubot", "std_msgs/MultiArrayDimension", "4cd0c83a8683deae40ecdac60e53bfa8"},
	{"nubot", "std_msgs/MultiArrayLayout", "0fed2a11c13e11c5571b4e2a995a91a3"},
	{"nubot", "std_msgs/String", "992ce8a1687cec8c8bd883ec73ca41d1"},
	{"nubot", "std_msgs/Time", "cd7166c74c552c311fbcc2fe5a7bc289"},
	{"nubot", "std_msgs/UInt16", "1df79edf208b629fe6b81923a544552d"},
	{"nubot", "std_msgs/UInt32", "304a39449588c7f8ce2df6e8001c5fce"},
	{"nubot", "std_msgs/UInt64", "1b2a79973e8bf53d7b53acb71299cb57"},
	{"nubot", "std_msgs/UInt8", "7c8164229e7d2c17eb95e9231617fdee"},
	{"nubot", "tf2_msgs/TFMessage", "94810edda583a504dfda3829e70d7eec"},
	{"nubot", "sensor_msgs/BatteryState", "4ddae7f048e32fda22cac764685e3974"},
	{"nubot", "roscpp/SetLoggerLevel", "51da076440d78ca1684d36c868df61ea"},
	{"nubot", "roscpp/GetLoggers", "32e97e85527d4678a8f9279894bb64b0"},
	{"nubot", "roscpp/Logger", "a6069a2ff40db7bd32143dd66e1f408e"},
	{"nubot", "std_srvs/Empty", "d41d8cd98f00b204e9800998ecf8427e"},
	{"nubot", "std_srvs/SetBool", "09fb03525b03e7ea1fd3992bafd87e16"},
	{"nubot", "std_srvs/Trigger", "937c9679a518e3a18d831e57125ea522"},
	{"std", "omnipitch_msgs/Speed", "b3975e8f2b8bd53abf585aa86cd5969e"}, // by genmsg
	{"std", "omnipitch_msgs/Body", "9d6c189ebf50f7f50c552b96ac2c620a"},
	{"std", "omnipitch_msgs/Command", "68b4141f3de5aee2cf69fc3e62cfca28"},
	{"std", "omnipitch_msgs/Decision", "0fc5873e0da57ca0a5d5337691daa2a4"},
	{"std", "omnipitch_msgs/Episode", "ab15a23640ef85edd46d9dac627b12f3"},
	{"std", "omnipitch_msgs/Exact", "596765830bbe6f297c820ca1cf2bdfbe"},
	{"std", "omnipitch_msgs/Game", "de077ac82ac9608fbadbcbd28219a74b"},
	{"std", "omnipitch_msgs/Hashes", "cfe4d0bb08f18cbc5ecc91fb670e4bf2"},
	{"std", "omnipitch_msgs/Input", "b9d4894d016dd2d74d90a0e82c0e6634"},
	{"std", "omnipitch_msgs/KeyFrame", "1c2f24caf9dbd65e4b088af13430b3a7"},
	{"std", "omnipitch_msgs/Level", "87f38e4f9f091777d0d038f2db5bece6"},
	{"std", "omnipitch_msgs/Quantity", "54a04053247ba49fe28f8382daccf3d4"},
	{"std", "omnipitch_msgs/Perception", "b8e39ffcc99ce03a2abf5dd1917e4b68"},
	{"std", "omnipitch_msgs/Radio", "18388fd1ec3eeb4d008646020786f7a3"},
	{"std", "omnipitch_msgs/Recording", "e6947a314a94b96913fb7928edd10192"},
	{"std", "omnipitch_msgs/RobotCommand", "dfed979039a451536ccb3f609915f86e"},
	{"std", "omnipitch_msgs/Sighting", "9fe86fc0c53bc0c3a8f5fa1bb16d085d"},
	{"std", "omnipitch_msgs/Touch", "8ff366cdbb09f41ecf48dd3a8e9b8786"},
	{"std", "omnipitch_msgs/Truth", "494a040bd3dcc862b8a70d9f7b8b3821"},
	{"std", "omnipitch_msgs/Verdict", "68a03c6426ee43041d1077d6bdd35872"},
	{"std", "omnipitch_msgs/Coach", "420d1f552d74f666b96c3d7beda09f93"},
	{"std", "omnipitch_msgs/Predict", "2222570dc98384c5b37a7a314d79b25f"},
	{"std", "omnipitch_msgs/Seek", "cf7f81e5062196f60e597af83547830f"},
	{"std", "omnipitch_msgs/Step", "6669a58141903454e539a6110d6c1e57"},
	{"std", "gazebo_msgs/ContactState", "48c0ffb054b8c444f870cecea1ee50d9"},
	{"std", "gazebo_msgs/ContactsState", "acbcb1601a8e525bf72509f18e6f668d"},
	{"std", "gazebo_msgs/ModelState", "9330fd35f2fcd82d457e54bd54e10593"},
	{"std", "gazebo_msgs/ModelStates", "48c080191eb15c41858319b4d8a609c2"},
	{"std", "gazebo_msgs/SetModelState", "5b3ab0281d4f5445def017e3a2e4a07b"},
	// vision_msgs: from generated code of 0.0.1, in three languages
	{"std", "vision_msgs/BoundingBox2D", "9ab41e2a4c8627735e5091a9abd68b02"},
	{"std", "vision_msgs/BoundingBox3D", "727c83f2b037373b8e968433d9c84ecb"},
	{"std", "vision_msgs/Detection2D", "9e11092151fa150724a255fbac727f3b"},
	{"std", "vision_msgs/Detection2DArray", "402071f61477de256df9f1aa45e6e4c8"},
	{"std", "vision_msgs/Detection3D", "7f3d8e29f3ab9853108801543aec1a5d"},
	{"std", "vision_msgs/Detection3DArray", "05c51d9aea1fb4cfdc8effb94f197b6f"},
	{"std", "vision_msgs/ObjectHypothesisWithPose", "fa1ab3bc7146f53921fa142d631d02db"},
	{"std", "vision_msgs/VisionInfo", "eee36f8dc558754ceb4ef619179d8b34"},
	{"std", "trajectory_msgs/JointTrajectory", "65b4f94a94d1ed67169da35a02f33d3f"},
	{"std", "trajectory_msgs/JointTrajectoryPoint", "f3cd1e1c4d320c79d6985c904ae5dcd3"},
	// foxglove_msgs: with genmsg, from the fields of release 3.0.0
	{"std", "foxglove_msgs/CircleAnnotation", "625708f347af9680a6db92626081cc28"},
	{"std", "foxglove_msgs/Color", "b33e438d87f78a3ce37c50c7be85f344"},
	{"std", "foxglove_msgs/ImageAnnotations", "685a869995712c54b6863409ecf414b1"},
	{"std", "foxglove_msgs/Point2", "209f516d3eb691f0663e25cb750d67c1"},
	{"std", "foxglove_msgs/PointsAnnotation", "df8c4c5f6b39712f6875eeb26aff0f86"},
	{"std", "foxglove_msgs/TextAnnotation", "c519967875038307b79bf6d8fa469b37"},
	{"std", "visualization_msgs/ImageMarker", "1de93c67ec8858b831025a08fbf1b35c"},
	{"std", "visualization_msgs/Marker", "4048c9de2a16f4ae8e0538085ebf1b97"},
	{"std", "visualization_msgs/MarkerArray", "d155b9ce5188fbaf89745847fd5882d7"},
}

// TestMD5 compares with the table above.
func TestMD5(t *testing.T) {
	for _, c := range md5s {
		l, err := Load(c.dialect)
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		if m, err := l.Message(c.name); err == nil {
			got = m.MD5
		} else if s, err2 := l.Service(c.name); err2 == nil {
			got = s.MD5
		} else {
			t.Errorf("%s %s: %v, %v", c.dialect, c.name, err, err2)
		}
		if got != c.want {
			t.Errorf("%s %s: md5 = %s, want %s", c.dialect, c.name, got, c.want)
		}
	}
}

// TestEveryDefinitionHasAReference checks that the table is complete.
func TestEveryDefinitionHasAReference(t *testing.T) {
	known := map[string]bool{}
	for _, c := range md5s {
		known[c.name] = true
	}
	for _, d := range Dialects() {
		l, err := Load(d)
		if err != nil {
			t.Fatal(err)
		}
		for _, n := range append(l.Messages(), l.Services()...) {
			if !known[n] {
				t.Errorf("dialect %s: %s has no md5 sum to compare with", d, n)
			}
		}
	}
}
