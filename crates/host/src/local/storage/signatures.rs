//! What the first and the last bytes of a device say it is: for messages only. Whatever is not zero
//! is somebody's, whether it has a name here or not.
//!
//! Offsets and magic numbers are those of the formats' own descriptions (the kernel's headers under
//! `include/uapi/linux` and `fs`, the LVM2, mdadm, cryptsetup, OpenZFS and bcache sources, the UEFI
//! specification), and of what blkid(8) of util-linux looks for with `--probe`.

/// Where a signature stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum At {
    /// So many bytes from the beginning.
    Start(u64),
    /// So many bytes before the end.
    End(u64),
    /// So many bytes before the end, rounded down to a multiple of the second number, plus the third.
    Aligned(u64, u64, u64),
}

use At::{Aligned, End, Start};

/// Signatures in the order in which they are asked for: a stack's outermost layer first, and what
/// others contain as well (a boot sector) last.
const SIGNATURES: &[(At, &[u8], &str)] = &[
    (Start(0), b"LUKS\xba\xbe", "an encrypted volume (LUKS)"),
    (Start(0x4000), b"SKUL\xba\xbe", "an encrypted volume (LUKS)"),
    (Start(0x8000), b"SKUL\xba\xbe", "an encrypted volume (LUKS)"),
    (Start(0x1_0000), b"SKUL\xba\xbe", "an encrypted volume (LUKS)"),
    (Start(0x2_0000), b"SKUL\xba\xbe", "an encrypted volume (LUKS)"),
    (Start(0x4_0000), b"SKUL\xba\xbe", "an encrypted volume (LUKS)"),
    (Start(0x8_0000), b"SKUL\xba\xbe", "an encrypted volume (LUKS)"),
    (Start(0x10_0000), b"SKUL\xba\xbe", "an encrypted volume (LUKS)"),
    (Start(0x20_0000), b"SKUL\xba\xbe", "an encrypted volume (LUKS)"),
    (Start(0x40_0000), b"SKUL\xba\xbe", "an encrypted volume (LUKS)"),
    (Start(3), b"-FVE-FS-", "an encrypted volume (BitLocker)"),
    // LVM2's label may stand in any of the first four sectors.
    (Start(0), b"LABELONE", "a physical volume of LVM"),
    (Start(512), b"LABELONE", "a physical volume of LVM"),
    (Start(1024), b"LABELONE", "a physical volume of LVM"),
    (Start(1536), b"LABELONE", "a physical volume of LVM"),
    (Start(0), b"HM\x01\x00", "a physical volume of LVM"),
    (Start(0), b"SnAp", "a snapshot of LVM"),
    (Start(0), b"dmvdo001", "a VDO volume"),
    // Linux' md: versions 1.1, 1.2, 1.0 and 0.90.
    (Start(0), b"\xfc\x4e\x2b\xa9", "a member of a RAID array (md)"),
    (Start(4096), b"\xfc\x4e\x2b\xa9", "a member of a RAID array (md)"),
    (Aligned(8192, 4096, 0), b"\xfc\x4e\x2b\xa9", "a member of a RAID array (md)"),
    (Aligned(65_536, 65_536, 0), b"\xfc\x4e\x2b\xa9", "a member of a RAID array (md)"),
    (Aligned(65_536, 65_536, 0), b"\xa9\x2b\x4e\xfc", "a member of a RAID array (md)"),
    // Arrays of disk controllers.
    (End(512), b"\xde\x11\xde\x11", "a member of a RAID array (DDF)"),
    (End(512), b"\x11\xde\x11\xde", "a member of a RAID array (DDF)"),
    (End(131_584), b"\xde\x11\xde\x11", "a member of a RAID array (DDF)"),
    (End(1024), b"Intel Raid ISM Cfg Sig. ", "a member of a RAID array (Intel)"),
    (End(512), b"$XIDE$", "a member of a RAID array (LSI)"),
    (End(1024), b"NVIDIA", "a member of a RAID array (NVIDIA)"),
    (End(512), b"JM", "a member of a RAID array (JMicron)"),
    (Start(4608), b"\xf0\x16\x78\x5a", "a member of a RAID array (HighPoint)"),
    (Start(4608), b"\xfd\x16\x78\x5a", "a member of a RAID array (HighPoint)"),
    // Layers that caches, replication and stores of objects put on devices.
    (
        Start(4096 + 24),
        b"\xc6\x85\x73\xf6\x4e\x1a\x45\xca\x82\x65\xf5\x7f\x48\xba\x6d\x81",
        "a device of bcache or bcachefs",
    ),
    (
        Start(4096 + 24),
        b"\xc6\x85\x73\xf6\x66\xce\x90\xa9\xd9\x6a\x60\xcf\x80\x3d\xf7\xef",
        "a device of bcache or bcachefs",
    ),
    (Start(512 + 4), b"!Stra0tis\x86\xff\x02^\x41rh", "a device of Stratis"),
    (Start(0), b"bluestore block device", "a store of Ceph"),
    (Start(0x10_0000), b"\x0d\xd0\x01\xc0", "a volume of VMFS"),
    (Start(0x20_0000), b"\x5e\xf1\xab\x2f", "a VMFS file system"),
    // OpenZFS has four labels, of 256 KiB each, in which uberblocks begin at 128 KiB.
    (Start(0x2_0000), b"\x0c\xb1\xba\x00", "a member of a ZFS pool"),
    (Start(0x6_0000), b"\x0c\xb1\xba\x00", "a member of a ZFS pool"),
    (Aligned(0x8_0000, 0x4_0000, 0x2_0000), b"\x0c\xb1\xba\x00", "a member of a ZFS pool"),
    (Aligned(0x4_0000, 0x4_0000, 0x2_0000), b"\x0c\xb1\xba\x00", "a member of a ZFS pool"),
    (Start(0), b"XFSB", "an XFS file system"),
    (Start(0), b"\xfe\xed\xba\xbe", "a log of XFS"),
    (Start(1080), b"\x53\xef", "an ext2, ext3 or ext4 file system"),
    (Start(65_600), b"_BHRfS_M", "a btrfs file system"),
    (Start(3), b"NTFS    ", "an NTFS file system"),
    (Start(3), b"EXFAT   ", "an exFAT file system"),
    (Start(3), b"ReFS\0\0\0\0", "a ReFS file system"),
    (Start(54), b"FAT1", "a FAT file system"),
    (Start(82), b"FAT32", "a FAT file system"),
    (Start(1024), b"\x10\x20\xf5\xf2", "an F2FS file system"),
    (Start(1024 + 6), b"\x34\x34", "a NILFS2 file system"),
    (Start(1024), b"\xe2\xe1\xf5\xe0", "an EROFS file system"),
    (Start(1024), b"BD", "an HFS file system"),
    (Start(1024), b"H+", "an HFS+ file system"),
    (Start(1024), b"HX", "an HFS+ file system"),
    (Start(32), b"NXSB", "an APFS container"),
    (Start(32_768), b"JFS1", "a JFS file system"),
    (Start(8_244), b"ReIsEr", "a ReiserFS file system"),
    (Start(65_588), b"ReIsEr", "a ReiserFS file system"),
    (Start(65_536), b"ReIsEr4", "a Reiser4 file system"),
    (Start(65_536), b"\x01\x16\x19\x70", "a GFS2 file system"),
    (Start(1024), b"OCFSV2", "an OCFS2 file system"),
    (Start(2048), b"OCFSV2", "an OCFS2 file system"),
    (Start(4096), b"OCFSV2", "an OCFS2 file system"),
    (Start(8192), b"OCFSV2", "an OCFS2 file system"),
    (Start(32_769), b"CD001", "an ISO 9660 file system"),
    (Start(32_769), b"BEA01", "a UDF file system"),
    (Start(0), b"hsqs", "a SquashFS file system"),
    (Start(1372), b"\x19\x01\x54\x19", "a UFS file system"),
    (Start(9564), b"\x19\x01\x54\x19", "a UFS file system"),
    (Start(66_908), b"\x19\x01\x54\x19", "a UFS file system"),
    // Swap signs at the end of its first page, whose size depends on the architecture.
    (Start(4_086), b"SWAPSPACE2", "swap space"),
    (Start(8_182), b"SWAPSPACE2", "swap space"),
    (Start(16_374), b"SWAPSPACE2", "swap space"),
    (Start(32_758), b"SWAPSPACE2", "swap space"),
    (Start(65_526), b"SWAPSPACE2", "swap space"),
    (Start(4_086), b"S1SUSPEND", "a suspended system"),
    (Start(4_086), b"ULSUSPEND", "a suspended system"),
    // In sectors of 512 bytes and of 4096, and the copy at the end.
    (Start(512), b"EFI PART", "a partition table (GPT)"),
    (Start(4096), b"EFI PART", "a partition table (GPT)"),
    (End(512), b"EFI PART", "a partition table (GPT) at its end"),
    (End(4096), b"EFI PART", "a partition table (GPT) at its end"),
    (Start(508), b"\xda\xbe", "a partition table (Sun)"),
    (Start(0), b"\x0b\xe5\xa9\x41", "a partition table (SGI)"),
    (Start(0), b"ER\x02\x00", "a partition table (Apple)"),
    (Start(512), b"\x57\x45\x56\x82", "a partition table (BSD)"),
    (Start(510), b"\x55\xaa", "a partition table or boot sector"),
];

/// The name of what signs there, asked for a device or file of that length by what reads bytes of it
/// into a buffer, which fails where it has none.
pub(super) fn name(
    length: u64,
    mut read: impl FnMut(u64, &mut [u8]) -> bool,
) -> Option<&'static str> {
    let mut buffer = [0; 32];
    let mut stands = |&&(at, signature, _): &&(At, &[u8], &str)| {
        let found = &mut buffer[..signature.len()];
        place(at, length).is_some_and(|offset| read(offset, found)) && found == signature
    };
    SIGNATURES.iter().find(|signature| stands(signature)).map(|(_, _, name)| *name)
}

/// The offset of a signature, where there is room for it.
fn place(at: At, length: u64) -> Option<u64> {
    match at {
        Start(offset) => Some(offset),
        End(before) => length.checked_sub(before),
        Aligned(before, multiple, plus) => {
            Some((length / multiple * multiple).checked_sub(before)? + plus)
        }
    }
}
