//! What went wrong, in words.

use super::slot::{Slot, State};
use crate::OperationError;
use crate::storage::VmSpec;
use crate::storage::error::{class_of, words_of};
use crate::storage::transport::Kind;
use model::ErrorClass;

/// A read, write or sync that failed, or moved less than it should have.
pub(super) fn operation_error(result: i32, slot: &Slot, vm: &VmSpec) -> OperationError {
    let what = match (slot.state, slot.kind) {
        (State::Syncing, _) => "a sync".to_owned(),
        (_, Kind::Read) => format!("a read of {} bytes at byte {}", slot.bytes, place(slot, vm)),
        _ => format!("a write of {} bytes at byte {}", slot.bytes, place(slot, vm)),
    };
    let file = vm.path.display();
    if result >= 0 {
        return OperationError {
            class: ErrorClass::Device,
            code: String::new(),
            sql_state: String::new(),
            message: format!("{what} of {file} moved {result} bytes only"),
        };
    }
    OperationError {
        class: class_of(-result),
        code: (-result).to_string(),
        sql_state: String::new(),
        message: format!("{what} of {file} failed: {}", words_of(-result)),
    }
}

/// A block that is not what it must be.
pub(super) fn corruption(what: &str, vm: &VmSpec) -> OperationError {
    OperationError {
        class: ErrorClass::Corruption,
        code: "corrupt".to_owned(),
        sql_state: String::new(),
        message: format!("corrupt data in {}: {what}", vm.path.display()),
    }
}

fn place(slot: &Slot, vm: &VmSpec) -> u64 {
    vm.offset + slot.offset
}
